import { type Client, isApiError, isNotFound } from '@hawser/client';
import { resources as coreKbind } from '@hawser/core-kbind';
import { dialects } from '@hawser/klutch';
import type { Dialect } from '@hawser/kube-bind';

import { type Config, ConfigError, type Flag, type ParsedFlags, choice } from '@hawser/config';
import { type KonnectorDialect, konnectorDialect } from './konnector-dialect.js';
import type { Terminal } from './task.js';

/** Flag of every command that looks at a consumer. */
export const dialectFlag: Flag = {
  name: 'dialect',
  kind: 'string',
  help: 'in which words is spoken: kube-bind, or klutch; auto: those in which something is bound on the consumer, or can be; of a provider, all that it has',
  default: 'auto',
};

/** Flag of every command that also looks at the second generation of kube-bind. */
export const anyDialectFlag: Flag = {
  ...dialectFlag,
  help: `${dialectFlag.help}. core-kbind: core.kbind.io alone; auto shows it beside the others`,
};

/** Flag of the commands that bind and unbind. */
export const bindingDialectFlag: Flag = {
  ...dialectFlag,
  help: 'in which words: kube-bind, klutch, or core-kbind for core.kbind.io; auto: those in which something is bound on the consumer, or can be, and core.kbind.io only to unbind what nothing else has bound',
};

export interface DialectChoice {
  /** As flags or a config file give it. */
  readonly asked: Dialect['name'] | 'auto';
  readonly konnector: Config['konnector'];
}

/** The value of `--dialect`. @throws ConfigError for an unknown value */
export function askedDialect(parsed: ParsedFlags): DialectChoice['asked'] {
  return choice(parsed, 'dialect', ['auto', 'kube-bind', 'klutch']);
}

/** As {@link askedDialect}, with `core.kbind.io` as another value. @throws ConfigError for an unknown value */
export function askedAnyDialect(parsed: ParsedFlags): DialectChoice['asked'] | 'core-kbind' {
  return choice(parsed, 'dialect', ['auto', 'kube-bind', 'klutch', 'core-kbind']);
}

/**
 * The dialect of a consumer. Prints a detected dialect, unless it is kube-bind and no other one is there. `client` is
 * that of the cluster itself. @throws ConfigError if the dialect is unclear
 */
export async function consumerDialect(
  client: Client,
  { asked, konnector }: DialectChoice,
  { err, signal }: Terminal,
): Promise<KonnectorDialect> {
  const chosen = async (): Promise<Dialect['name']> => {
    if (asked !== 'auto') return asked;
    const found: { readonly name: Dialect['name']; readonly standing: DialectStanding }[] = [];
    for (const dialect of dialects)
      found.push({ name: dialect.name, standing: await standingOf(client, dialect, signal) });
    const { name, why } = foundDialect(found);
    if (why !== undefined) err(`Dialect: ${name}, since ${why}. --dialect says otherwise.`);
    return name;
  };
  const name = await chosen();
  const spoken = konnectorDialect({ ...konnector, dialect: name });
  await refuseControlPlane(client, spoken.dialect, signal);
  return spoken;
}

/** Traces of a dialect on a cluster: APIServiceBindings, only their CRD, or nothing visible. */
export type DialectStanding = 'bound' | 'served' | 'nothing';

/**
 * Detects the dialect of a cluster by its objects. `why`, in words, is absent if nothing speaks against kube-bind.
 * @throws ConfigError if both have bindings
 */
export function foundDialect(
  found: readonly { readonly name: Dialect['name']; readonly standing: DialectStanding }[],
): { readonly name: Dialect['name']; readonly why: string | undefined } {
  const standing = (name: Dialect['name']): DialectStanding =>
    found.find((one) => one.name === name)?.standing ?? 'nothing';
  const [kubeBind, klutch] = [standing('kube-bind'), standing('klutch')];
  if (kubeBind === 'bound' && klutch === 'bound')
    throw new ConfigError(
      'the consumer has APIServiceBindings of kube-bind and of Klutch: say --dialect=kube-bind or --dialect=klutch',
    );
  if (klutch === 'bound') return { name: 'klutch', why: 'the APIServiceBindings of the consumer are those of Klutch' };
  if (klutch === 'nothing') return { name: 'kube-bind', why: undefined };
  if (kubeBind === 'nothing') return { name: 'klutch', why: 'the consumer serves the APIServiceBindings of Klutch' };
  return { name: 'kube-bind', why: 'the consumer serves the APIServiceBindings of Klutch, too, but has none of them' };
}

/** Whether Connections or bindings of `core.kbind.io` may exist. @throws ApiError if the consumer does not answer */
export async function speaksCoreKbind(client: Client, signal: AbortSignal): Promise<boolean> {
  for (const resource of Object.values(coreKbind))
    if ((await standingOf(client, { resources: { apiServiceBindings: resource } }, signal)) === 'bound') return true;
  return false;
}

async function standingOf(
  client: Client,
  { resources: { apiServiceBindings } }: { readonly resources: Pick<Dialect['resources'], 'apiServiceBindings'> },
  signal: AbortSignal,
): Promise<DialectStanding> {
  try {
    return (await client.list(apiServiceBindings, { limit: 1, representation: 'metadata', signal, timeoutMs: 10_000 }))
      .items.length > 0
      ? 'bound'
      : 'served';
  } catch (error) {
    // A user who may not list them gets a refusal whether or not any exist.
    if (isNotFound(error) || isApiError(error, 'Forbidden')) return 'nothing';
    throw error;
  }
}

/** On a control plane of Klutch, bindings are namespaced, and belong to the app clusters that it serves. */
async function refuseControlPlane(
  client: Client,
  { name, apiVersion, resources: { apiServiceBindings } }: Dialect,
  signal: AbortSignal,
): Promise<void> {
  if (name !== 'klutch') return;
  try {
    const { resources: served = [] } = (await client.raw('GET', `/apis/${apiVersion}`, undefined, {
      signal,
      timeoutMs: 10_000,
    })) as { readonly resources?: readonly { readonly name: string; readonly namespaced: boolean }[] };
    if (served.some((one) => one.name === apiServiceBindings.resource && one.namespaced))
      throw new ConfigError(
        'this cluster is a control plane of Klutch, and no app cluster: its APIServiceBindings are namespaced, and AppClusterBindings say how they stand',
      );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
