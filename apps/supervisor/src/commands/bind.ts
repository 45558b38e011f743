import { type BindPlan, type BindingWish, type Offer, type OnboardingWish, bind, handedOut, manifestsOf, observe, onboard, onboardingRequest, planBinding, refusalText, stepText, untilReady } from '@hawser/bind';
import { type Client, createClient, isApiError } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { ExportedResource } from '@hawser/kube-bind';
import { readConsumerIdentity } from '@hawser/konnector-connection';
import { type ConnectionConfig, KubeconfigError, parseSecretKubeconfig, portableKubeconfig } from '@hawser/kubeconfig';
import { stringify } from 'yaml';

import { ConfigError } from '../config.js';
import { type Flag, type ParsedFlags, choice } from '../flags.js';
import { ownConnection } from '../own-connection.js';
import { reportedVersion } from '../version.js';
import { type ConsumerCommand, consumerFlags, readCommandFlags, readTimeout, withConsumer } from './consumer-command.js';
import { document, outputs } from './output.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Binds APIs of a provider on a consumer: asks the provider for an export, stores its kubeconfig on the consumer, makes the APIServiceBinding and waits until it is
ready. Repeatable: what is there already is left as it is. Needs the kubeconfig that the provider has handed out for this consumer; or, for who runs both, the kubeconfig of
an operator of the provider, which then takes the consumer on.

Exit codes: 0 bound, 1 refused or not ready in time, 2 wrong usage.`;

const flags: readonly Flag[] = [
  { name: 'provider-kubeconfig', kind: 'string', help: 'kubeconfig that the provider has handed out; the namespace of its context is that of the consumer' },
  { name: 'provider-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'operator-kubeconfig', kind: 'string', help: 'instead: kubeconfig of somebody on the provider who may make BindableResourcesRequests; the consumer is taken on first' },
  { name: 'operator-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'request-namespace', kind: 'string', help: 'with --operator-kubeconfig: namespace on the provider for the request and its answer', default: 'default' },
  { name: 'pretty-name', kind: 'string', help: 'with --operator-kubeconfig: what the consumer is called on the provider' },
  { name: 'template', kind: 'string', help: 'what to bind: an APIServiceExportTemplate of the provider' },
  { name: 'resource', kind: 'string', repeatable: true, help: 'what to bind: PLURAL.GROUP or PLURAL.GROUP/VERSION; may be given several times' },
  { name: 'name', kind: 'string', help: 'name of the binding and of the export; empty: that of the template, or of the only resource' },
  { name: 'secret', kind: 'string', help: 'Secret in namespace kube-bind for the kubeconfig; empty: one that reaches the same, else kubeconfig-NAME' },
  ...consumerFlags.filter(({ name }) => !name.startsWith('lease')),
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  { name: 'output', short: 'o', kind: 'string', help: 'table; json; or yaml: with --dry-run the files that do the same declaratively', default: 'table' },
  { name: 'show-kubeconfig', kind: 'boolean', help: 'with --dry-run -o yaml: with the credential in the Secret' },
  { name: 'wait', kind: 'boolean', help: 'wait until the binding is ready', default: 'true' },
  { name: 'timeout', kind: 'string', help: 'how long the provider may take to answer, and the konnector to bind', default: '5m' },
];

/** Reads the flags of `hawser bind`. */
export function readBind(args: readonly string[]): Task | string {
  const parsed = readCommandFlags('bind', ABOUT, args, flags);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const offer = readOffer(parsed);
  const name = values.get('name') ?? defaultName(offer);
  const access = readAccess(parsed);
  const timeoutMs = readTimeout(parsed);
  const output = choice(parsed, 'output', outputs);
  const given = (flag: string): boolean => values.get(flag) === 'true';
  const settings: Settings = { timeoutMs, output, dryRun: given('dry-run'), credentials: given('show-kubeconfig'), wait: values.get('wait') !== 'false' };
  const secretName = values.get('secret');
  return (terminal) => withConsumer(parsed, terminal, (command) => told(terminal, async () => {
    if (command.spoken.dialect.name !== 'kube-bind') throw new ConfigError('bind speaks kube-bind alone: an app cluster of Klutch is bound by kubectl bind, or by an AppClusterBinding. --dialect=kube-bind, if it is to be bound to a provider of kube-bind as well');
    // What is meant for programs is alone on the standard output.
    const working: Working = { command, terminal, settings, tell: output === 'table' ? terminal.out : terminal.err };
    const kubeconfig = access.kind === 'consumer' ? await portable(access.file, access.context, terminal) : undefined;
    if (kubeconfig !== undefined) {
      const wished = wishOf({ name, offer, secretName }, kubeconfig, access.file);
      return await withProvider(wished.connection, (provider) => carryOut(working, provider, wished.wish));
    }
    return await withProvider((await ownConnection({ kubeconfig: access.file, context: access.context ?? '' }, command.context))(), async (operator) => {
      const handed = await onboarded(working, operator, access.onboarding);
      return handed === undefined ? (settings.dryRun ? 0 : 1) : await carryOut(working, operator, wishOf({ name, offer, secretName }, handed, 'what the provider has handed out').wish);
    });
  }));
}

/** Whose kubeconfig reaches the provider. */
type Access = { readonly file: string; readonly context: string | undefined; readonly onboarding: Omit<OnboardingWish, 'identity'> } & ({ readonly kind: 'consumer' } | { readonly kind: 'operator' });

function readAccess({ values }: ParsedFlags): Access {
  const consumer = values.get('provider-kubeconfig') ?? '';
  const operator = values.get('operator-kubeconfig') ?? '';
  if ((consumer === '') === (operator === '')) throw new ConfigError('bind needs either --provider-kubeconfig or --operator-kubeconfig; see hawser bind --help');
  const onboarding = { author: 'hawser bind', namespace: values.get('request-namespace') ?? 'default', prettyName: values.get('pretty-name') };
  return consumer === '' ? { kind: 'operator', file: operator, context: values.get('operator-context'), onboarding } : { kind: 'consumer', file: consumer, context: values.get('provider-context'), onboarding };
}

interface Working {
  readonly command: ConsumerCommand;
  readonly terminal: Terminal;
  readonly settings: Settings;
  readonly tell: (line: string) => void;
}

/** Says what to do where the refusal alone would leave somebody helpless. */
async function told({ err }: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (!isApiError(error, 'Forbidden') || !/apiserviceexporttemplates/u.test(error.message)) throw error;
    err(`${error.message}\nThe credential of a consumer need not reach templates. Name the resources by --resource, or ask the provider to allow get on apiserviceexporttemplates.`);
    return 1;
  }
}

async function withProvider(connection: ConnectionConfig, work: (provider: Client) => Promise<number>): Promise<number> {
  const provider = createClient({ name: 'provider', connection, userAgent: `hawser-bind/${reportedVersion()}` });
  try {
    return await work(provider);
  } finally {
    await provider.close();
  }
}

/** The kubeconfig that the provider hands out; undefined if there is none, which was said. */
async function onboarded({ command: { client, context }, terminal, settings: { dryRun, timeoutMs }, tell }: Working, provider: Client, about: Omit<OnboardingWish, 'identity'>): Promise<string | undefined> {
  const { signal } = terminal;
  const wish: OnboardingWish = { ...about, identity: await readConsumerIdentity(client, signal) };
  const before = await handedOut(provider, wish, signal);
  if (before !== undefined) return before;
  if (dryRun) {
    const { metadata } = onboardingRequest(wish);
    terminal.out(`This would be done first: create BindableResourcesRequest ${metadata.namespace ?? ''}/${metadata.name} on the provider. What follows is known once it is answered.`);
    return undefined;
  }
  const result = await onboard({ provider, clock: context.clock, tell, timeoutMs, signal }, wish);
  switch (result.kind) {
    case 'onboarded':
      return result.kubeconfig;
    case 'refused':
      terminal.err(refusalText(result.refusal));
      return undefined;
    case 'waiting':
      terminal.err(`Gave up waiting for ${result.what}. The same command goes on from there.`);
      return undefined;
  }
}

interface Settings {
  readonly timeoutMs: number;
  readonly output: (typeof outputs)[number];
  readonly dryRun: boolean;
  readonly credentials: boolean;
  readonly wait: boolean;
}

async function carryOut({ command: { client: consumer, context }, terminal, settings, tell }: Working, provider: Client, wish: BindingWish): Promise<number> {
  const { signal } = terminal;
  const plan = planBinding(wish, await observe({ consumer, provider, signal }, wish));
  for (const refusal of plan.refusals) terminal.err(refusalText(refusal));
  if (settings.dryRun) {
    printPlan(terminal, wish, plan, settings);
    return plan.refusals.length === 0 ? 0 : 1;
  }
  if (plan.refusals.length > 0) return 1;
  if (plan.steps.length === 0) tell('Everything is there already.');
  const options = { consumer, provider, clock: context.clock, tell, timeoutMs: settings.timeoutMs, signal };
  const made = await bind(options, wish, plan);
  const result = made.kind === 'bound' && settings.wait ? await untilReady(options, wish.name) : made;
  switch (result.kind) {
    case 'bound':
      tell(`${wish.name} is bound${settings.wait ? ' and ready' : ''}: ${plan.resources.join(', ')}.`);
      break;
    case 'refused':
      terminal.err(refusalText(result.refusal));
      break;
    case 'waiting':
      terminal.err(`Gave up waiting for ${result.what}. What was made stays; the same command goes on from there.`);
      break;
  }
  if (settings.output !== 'table') terminal.out(document({ name: wish.name, secret: plan.secret, resources: plan.resources, result: result.kind }, settings.output));
  return result.kind === 'bound' ? 0 : 1;
}

function printPlan({ out }: Terminal, wish: BindingWish, plan: BindPlan, { output, credentials }: Settings): void {
  const { name } = wish;
  switch (output) {
    case 'table':
      out(plan.steps.length === 0 ? 'Nothing to do.' : `This would be done:\n${plan.steps.map((step) => `  ${stepText(step)}`).join('\n')}`);
      return;
    case 'json':
      out(document({ name, secret: plan.secret, resources: plan.resources, steps: plan.steps.map(stepText), refusals: plan.refusals }, 'json'));
      return;
    case 'yaml': {
      const { provider, consumer } = manifestsOf(plan, { credentials });
      const file = (side: string, objects: readonly object[]): readonly string[] => objects.map((object, at) => `---\n${at === 0 ? `# on the ${side}\n` : ''}${stringify(object, { lineWidth: 0 }).trimEnd()}`);
      out([...file('provider', provider), ...file('consumer', consumer)].join('\n'));
    }
  }
}

async function portable(file: string, context: string | undefined, { env }: Terminal): Promise<string> {
  try {
    return await portableKubeconfig({ file, context, env, clock: systemClock });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`${file}: ${error.message}`);
    throw error;
  }
}

function wishOf(wanted: Pick<BindingWish, 'name' | 'offer' | 'secretName'>, kubeconfig: string, origin: string): { readonly wish: BindingWish; readonly connection: ConnectionConfig } {
  const read = parseSecretKubeconfig(kubeconfig);
  if (!read.ok) throw new ConfigError(`${origin} cannot be used by a konnector: ${read.problems.map(({ message }) => message).join(' ')}`);
  return { wish: { ...wanted, kubeconfig, clusterNamespace: read.namespace }, connection: read.connection };
}

function readOffer({ values }: ParsedFlags): Offer {
  const template = values.get('template');
  const listed = values.get('resource');
  if ((template === undefined) === (listed === undefined)) throw new ConfigError('bind needs either --template or --resource; see hawser bind --help');
  return template === undefined ? { kind: 'resources', resources: readResources(listed ?? '') } : { kind: 'template', name: template };
}

function readResources(text: string): readonly ExportedResource[] {
  const found = new Map<string, ExportedResource>();
  for (const word of text.split(',')) {
    const [, resource, group, version] = /^([a-z][-a-z0-9]*)\.([a-z0-9][-.a-z0-9]*?)(?:\/([a-z][a-z0-9]*))?$/u.exec(word) ?? [];
    if (resource === undefined || group === undefined) throw new ConfigError(`--resource: must be PLURAL.GROUP or PLURAL.GROUP/VERSION, not "${word}"`);
    const key = `${resource}.${group}`;
    const versions = [...(found.get(key)?.versions ?? []), ...(version === undefined ? [] : [version])];
    found.set(key, { group, resource, ...(versions.length === 0 ? {} : { versions }) });
  }
  return [...found.values()];
}

function defaultName(offer: Offer): string {
  if (offer.kind === 'template') return offer.name;
  const [only, more] = offer.resources;
  if (only === undefined || more !== undefined) throw new ConfigError('bind needs --name where there are several resources');
  return only.resource;
}
