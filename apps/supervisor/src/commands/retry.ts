import { type Client, getIfExists, listAll } from '@hawser/client';
import { connectionOf, resources as coreKbind } from '@hawser/core-kbind';
import { type BindingKind, bindingKinds, isNamed } from '@hawser/konnector-explain';
import {
  type CustomResourceDefinition,
  type Dialect,
  bindingOwners,
  hawserAnnotations,
  resources,
  servedResource,
} from '@hawser/kube-bind';
import { reading } from '@hawser/preview';

import { type CommandDescription, helpOf, ConfigError, type Flag, parseFlags } from '@hawser/config';
import { explainFlags, explaining, namespaceOf, objectNamed, unknownKind, type Task } from '@hawser/commands';
import { roleOf, rolesFlag } from './agent-command.js';
import { agentRetryCommand, readAgentRetry } from './agent-retry.js';
import { type Retry, askForRetry } from './ask-for-retry.js';

const ABOUT = `Has the running konnector try an object, or everything of a binding, again now instead of after its back-off. Use it when the cause is removed. It sets the annotation
${hawserAnnotations.retryAt} on the object, or on the APIServiceBinding, Connection, ClusterBinding or Binding of the consumer, which is not copied to the provider. Claimed and related objects are tried again with their binding.

Exit codes: 0 asked, 1 there is no such object, 2 wrong usage.`;

const flags: readonly Flag[] = [
  { name: 'namespace', short: 'n', kind: 'string', help: 'namespace of the object; empty: that of the context' },
  ...explainFlags.filter(({ name }) => ['kubeconfig', 'context', 'dialect', 'help'].includes(name)),
  { name: 'dry-run', kind: 'boolean', help: 'print what would be written, and write nothing' },
];

/** Help text of the command. */
export const retryCommand: CommandDescription = {
  name: 'retry',
  about: ABOUT,
  usage: [
    'hawser retry KIND NAME [-n NAMESPACE] [flags]',
    'hawser retry apiservicebinding NAME [flags]',
    'hawser retry connection|clusterbinding|binding NAME [-n NAMESPACE] [flags]',
    'hawser retry --roles syncagent …',
  ],
  examples: [
    {
      purpose: 'the provider has raised its quota: try this Database now',
      line: 'hawser retry database orders -n team-a',
    },
    {
      purpose: 'try everything of a binding now, claimed objects too',
      line: 'hawser retry apiservicebinding databases',
    },
    {
      purpose: 'the same of core.kbind.io, related objects too',
      line: 'hawser retry clusterbinding databases',
    },
    { purpose: 'what would be written?', line: 'hawser retry database orders -n team-a --dry-run' },
    {
      purpose: 'everything that an agent publishes by one PublishedResource',
      line: 'hawser retry --roles syncagent publishedresource databases',
    },
  ],
  flags: [...flags, rolesFlag('konnector', 'syncagent')],
  variants: [agentRetryCommand],
};

/** Reads the flags of `hawser retry`. @throws ConfigError */
export function readRetry(args: readonly string[], now: () => number = Date.now): Task | string {
  const { role, rest } = roleOf(args, ['konnector', 'syncagent']);
  return role === 'syncagent' ? readAgentRetry(rest, now) : readKonnectorRetry(rest, now);
}

function readKonnectorRetry(args: readonly string[], now: () => number): Task | string {
  const parsed = parseFlags(args, flags);
  const {
    values,
    positional: [kind, name, surplus],
  } = parsed;
  if (values.get('help') === 'true') return helpOf(retryCommand);
  if (kind === undefined || name === undefined)
    throw new ConfigError('retry needs KIND and NAME; see hawser retry --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const dryRun = values.get('dry-run') === 'true';
  // Reaches no provider: only a binding's Secret, or a flag, would name one.
  return (terminal) =>
    explaining(parsed, terminal, async ({ context: { consumer: client, dialect }, namespace }) => {
      const asked = await askedFor(
        client,
        dialect,
        { kind, name, namespace: namespaceOf(parsed, namespace) },
        terminal.signal,
      );
      return await askForRetry(
        client,
        { ...asked, who: 'konnector', where: 'consumer', annotation: hawserAnnotations.retryAt },
        { at: new Date(now()).toISOString(), dryRun },
        terminal,
      );
    });
}

/** @throws ConfigError for a kind that is not bound, or that several bound APIs share */
async function askedFor(
  client: Client,
  { apiVersion }: Dialect,
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Omit<Retry, 'who' | 'where' | 'annotation'>> {
  const kinds = bindingKinds(kind);
  if (kinds.length > 0) return await bindingNamed(client, kinds, { name, namespace }, signal);
  const crds = await listAll<CustomResourceDefinition>(reading(client), resources.customResourceDefinitions, {
    signal,
  });
  const bound = crds.filter((crd) => bindingOwners(crd, apiVersion).length > 0 || connectionOf(crd) !== undefined);
  const called = (word: string): readonly CustomResourceDefinition[] =>
    bound.filter(({ metadata, spec }) => isNamed({ name: metadata.name, names: spec.names }, word));
  const [crd, ...others] = called(kind);
  const resource = crd === undefined ? undefined : servedResource(crd.spec);
  if (crd === undefined || resource === undefined)
    throw new ConfigError(
      unknownKind(
        kind,
        bound.map(({ metadata }) => metadata.name),
      ),
    );
  if (others.length > 0)
    throw new ConfigError(
      `several bound APIs are called ${kind}: ${[crd, ...others].map(({ metadata }) => metadata.name).join(', ')}; name one of them so`,
    );
  const key = objectNamed(name, crd.spec.scope === 'Cluster' ? undefined : namespace);
  const short = crd.spec.names.kind.toLowerCase();
  const word = called(short).length === 1 ? short : crd.metadata.name;
  const namespaceFlag = key.namespace === undefined ? '' : ` -n ${key.namespace}`;
  return {
    resource,
    key,
    what: `${crd.spec.names.kind} ${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name}`,
    why: `hawser why ${word} ${key.name}${namespaceFlag}`,
  };
}

const ofKinds = {
  APIServiceBinding: resources.apiServiceBindings,
  Connection: coreKbind.connections,
  ClusterBinding: coreKbind.clusterBindings,
  Binding: coreKbind.bindings,
} as const satisfies Record<BindingKind, Retry['resource']>;

/** Of the kinds that a word means, the first of which there is one of that name. */
async function bindingNamed(
  client: Client,
  kinds: readonly BindingKind[],
  { name, namespace }: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Omit<Retry, 'who' | 'where' | 'annotation'>> {
  let first: Omit<Retry, 'who' | 'where' | 'annotation'> | undefined;
  for (const kind of kinds) {
    if (kind !== 'Binding' && name.includes('/')) continue;
    const key = objectNamed(name, kind === 'Binding' ? namespace : undefined);
    const named = key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
    const asked = {
      resource: ofKinds[kind],
      key,
      what: `${kind} ${named}`,
      why: `hawser why ${kind === 'Binding' ? 'bindings' : kind.toLowerCase()} ${named}`,
    };
    first ??= asked;
    const isOnly = kinds.length === 1;
    if (
      isOnly ||
      (await getIfExists(client, asked.resource, key, { representation: 'metadata', signal })) !== undefined
    )
      return asked;
  }
  if (first === undefined) throw new ConfigError(`${kinds.join(', ')}: these have no namespace; name one without`);
  return first;
}
