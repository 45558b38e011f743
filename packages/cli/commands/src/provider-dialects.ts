import { type ApiError, type Client, getIfExists, isForbidden, isNotFound } from '@hawser/client';
import { dialects } from '@hawser/klutch';
import type { Dialect } from '@hawser/kube-bind';

import { ConfigError } from '@hawser/config';
import type { DialectChoice } from './consumer-dialect.js';

/** Results of every dialect, and whether they are complete. */
export interface InDialects<T> {
  readonly found: readonly T[];
  readonly isComplete: boolean;
}

export interface DialectReader<T> {
  readonly client: Pick<Client, 'raw'>;
  readonly read: (dialect: Dialect) => Promise<readonly T[]>;
  /** Called with a sentence on what is left out because the credential may not read it. */
  readonly print: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads every dialect that the provider has, or only the requested one; kube-bind first. @throws {ApiError} for an
 * unreadable dialect, unless another one is there; ConfigError if the cluster serves none
 */
export async function inEachDialect<T>(
  asked: DialectChoice['asked'],
  { client, read, print, signal }: DialectReader<T>,
): Promise<InDialects<T>> {
  const found: (readonly T[])[] = [];
  const failed: (readonly [Dialect, ApiError])[] = [];
  // kube-bind first: an error that stops the provider from answering at all appears in its terms.
  for (const dialect of dialects.filter(({ name }) => asked === 'auto' || asked === name)) {
    try {
      found.push(await read(dialect));
    } catch (error) {
      if (!isNotFound(error) && !isForbidden(error)) throw error;
      failed.push([dialect, error]);
    }
  }
  const [first] = failed;
  if (found.length === 0 && first !== undefined)
    throw failed.every(([, error]) => isNotFound(error))
      ? noProvider(failed.map(([dialect]) => dialect))
      : (failed.find(([, error]) => isForbidden(error)) ?? first)[1];
  const refused = failed.filter(([, error]) => isForbidden(error));
  let isComplete = true;
  for (const [dialect, error] of refused) {
    // A user without rights in a group gets the same refusal if the group does not exist.
    if (!(await isServed(client, dialect, signal))) continue;
    isComplete = false;
    print(`What there is in ${dialect.apiGroup} is left out: ${error.message}`);
  }
  return { found: found.flat(), isComplete };
}

function noProvider(missing: readonly Dialect[]): ConfigError {
  return new ConfigError(
    `this cluster is not a provider: it does not serve the exports of ${missing.map(({ apiGroup }) => apiGroup).join(' or ')}. Name the provider's kubeconfig with --kubeconfig`,
  );
}

async function isServed(client: Pick<Client, 'raw'>, { apiGroup }: Dialect, signal: AbortSignal): Promise<boolean> {
  try {
    await client.raw('GET', `/apis/${apiGroup}`, undefined, { signal, timeoutMs: 10_000 });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/**
 * How a provider knows the consumer of a cluster namespace in one dialect: it has its ClusterBinding, it only serves
 * ClusterBindings, or the credential sees nothing.
 */
export type ConsumerStanding = 'known' | 'served' | 'nothing';

/** The standing in each dialect, as far as the credential of a consumer can see. Only reads. */
export async function consumerStandings(
  provider: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<Dialect['name'], ConsumerStanding>> {
  const standings = new Map<Dialect['name'], ConsumerStanding>();
  // One after the other: an error of an unreachable provider appears in the terms of the first, which most people
  // speak.
  for (const dialect of dialects) standings.set(dialect.name, await standingIn(provider, dialect, namespace, signal));
  return standings;
}

async function standingIn(
  provider: Client,
  { names, resources }: Dialect,
  namespace: string,
  signal: AbortSignal,
): Promise<ConsumerStanding> {
  try {
    const found = await getIfExists(
      provider,
      resources.clusterBindings,
      { namespace, name: names.clusterBinding },
      { signal },
    );
    return found === undefined ? 'served' : 'known';
  } catch (error) {
    // Both a missing API and one that the consumer may not use.
    if (isNotFound(error) || isForbidden(error)) return 'nothing';
    throw error;
  }
}

/** The dialect in which a provider knows a consumer; undefined if unclear. @throws ConfigError for several */
export function dialectKnown(standings: ReadonlyMap<Dialect['name'], ConsumerStanding>): Dialect['name'] | undefined {
  const those = (wanted: ConsumerStanding): readonly Dialect['name'][] =>
    [...standings].flatMap(([name, standing]) => (standing === wanted ? [name] : []));
  const [known, second] = those('known');
  if (second !== undefined)
    throw new ConfigError(
      'the provider knows this consumer in the words of kube-bind and of Klutch: say --dialect=kube-bind or --dialect=klutch',
    );
  if (known !== undefined) return known;
  const [served, more] = those('served');
  return more === undefined ? served : undefined;
}
