import { type Client, isApiError, isNotFound } from '@hawser/client';
import { resources as coreKbind } from '@hawser/core-kbind';
import { dialects } from '@hawser/klutch';
import type { Dialect } from '@hawser/kube-bind';

import { type Config, ConfigError, type Flag, type ParsedFlags, choice } from '@hawser/config';
import { type KonnectorDialect, konnectorDialect } from './konnector-dialect.js';
import type { Terminal } from './task.js';

/** Of every command that looks at a consumer. */
export const dialectFlag: Flag = {
  name: 'dialect',
  kind: 'string',
  help: 'in which words is spoken: kube-bind, or klutch; auto: those in which something is bound on the consumer, or can be; of a provider, all that it has',
  default: 'auto',
};

/** The same of every command that also looks at the second generation of kube-bind. */
export const anyDialectFlag: Flag = {
  ...dialectFlag,
  help: `${dialectFlag.help}. core-kbind: core.kbind.io alone; auto shows it beside the others`,
};

/** Of the commands that bind and unbind. */
export const bindingDialectFlag: Flag = {
  ...dialectFlag,
  help: 'in which words: kube-bind, klutch, or core-kbind for core.kbind.io; auto: those in which something is bound on the consumer, or can be, and core.kbind.io only to unbind what nothing else has bound',
};

export interface DialectChoice {
  /** As flags or a config file have it. */
  readonly asked: Dialect['name'] | 'auto';
  readonly konnector: Config['konnector'];
}

/** What `--dialect` says. @throws ConfigError for a word that is not known */
export function askedDialect(parsed: ParsedFlags): DialectChoice['asked'] {
  return choice(parsed, 'dialect', ['auto', 'kube-bind', 'klutch']);
}

/** As {@link askedDialect}, where `core.kbind.io` can be meant, too. @throws ConfigError for a word that is not known */
export function askedAnyDialect(parsed: ParsedFlags): DialectChoice['asked'] | 'core-kbind' {
  return choice(parsed, 'dialect', ['auto', 'kube-bind', 'klutch', 'core-kbind']);
}

/** The dialect of a consumer. One that was found and not asked for is told, unless it is kube-bind and there is nothing else. `client` is that of the cluster itself. @throws ConfigError where it cannot be told */
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

/** What of a dialect is on a cluster: APIServiceBindings, only their CRD, or nothing that one may see. */
export type DialectStanding = 'bound' | 'served' | 'nothing';

/** Which dialect a cluster speaks by what stands there; `why`, in words, unless nothing speaks against kube-bind. @throws ConfigError if both have bindings */
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

/** Whether there are Connections or bindings of `core.kbind.io` to look at. @throws ApiError if the consumer does not say */
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
    // Who may not list them is refused whether or not there are any.
    if (isNotFound(error) || isApiError(error, 'Forbidden')) return 'nothing';
    throw error;
  }
}

/** On a control plane of Klutch bindings are namespaced, and belong to the app clusters that are served from there. */
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
