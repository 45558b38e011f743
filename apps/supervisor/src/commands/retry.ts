import { type Client, listAll } from '@hawser/client';
import { bindingKinds, isNamed } from '@hawser/konnector-explain';
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
${hawserAnnotations.retryAt} on the object or the APIServiceBinding of the consumer, which is not copied to the provider. A claimed object is tried again with its binding.

Exit codes: 0 asked, 1 there is no such object, 2 wrong usage.`;

const flags: readonly Flag[] = [
  { name: 'namespace', short: 'n', kind: 'string', help: 'namespace of the object; empty: that of the context' },
  ...explainFlags.filter(({ name }) => ['kubeconfig', 'context', 'dialect', 'help'].includes(name)),
  { name: 'dry-run', kind: 'boolean', help: 'print what would be written, and write nothing' },
];

/** What help says of it. */
export const retryCommand: CommandDescription = {
  name: 'retry',
  about: ABOUT,
  usage: [
    'hawser retry KIND NAME [-n NAMESPACE] [flags]',
    'hawser retry apiservicebinding NAME [flags]',
    'hawser retry --roles syncagent …',
  ],
  examples: [
    {
      says: 'the provider has raised its quota: try this Database now',
      line: 'hawser retry database orders -n team-a',
    },
    { says: 'try everything of a binding now, claimed objects too', line: 'hawser retry apiservicebinding databases' },
    { says: 'what would be written?', line: 'hawser retry database orders -n team-a --dry-run' },
    {
      says: 'everything that an agent publishes by one PublishedResource',
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
  // No provider is reached: only a binding's Secret, or a flag, would name one.
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

/** @throws ConfigError for a kind that is not bound, or that several bound APIs have */
async function askedFor(
  client: Client,
  { apiVersion }: Dialect,
  { kind, name, namespace }: { readonly kind: string; readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<Omit<Retry, 'who' | 'where' | 'annotation'>> {
  if (bindingKinds(kind).includes('APIServiceBinding'))
    return {
      resource: resources.apiServiceBindings,
      key: objectNamed(name, undefined),
      what: `APIServiceBinding ${name}`,
      why: `hawser why apiservicebinding ${name}`,
    };
  const crds = await listAll<CustomResourceDefinition>(reading(client), resources.customResourceDefinitions, {
    signal,
  });
  const bound = crds.filter((crd) => bindingOwners(crd, apiVersion).length > 0);
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
  const place = key.namespace === undefined ? '' : ` -n ${key.namespace}`;
  return {
    resource,
    key,
    what: `${crd.spec.names.kind} ${key.namespace === undefined ? '' : `${key.namespace}/`}${key.name}`,
    why: `hawser why ${word} ${key.name}${place}`,
  };
}
