import {
  type BindPlan,
  type BindResult,
  type BindingWish,
  type CarryOutOptions,
  type OnboardingWish,
  type Refusal,
  bind,
  handedOut,
  manifestsOf,
  noWayInToKlutch,
  observe,
  onboard,
  onboardingRequest,
  planBinding,
  refusalText,
  stepText,
  stepsOnProvider,
  untilReady,
} from '@hawser/bind';
import { type Client, type KubeObject, createClient, isApiError, isNotFound } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { readConsumerIdentity } from '@hawser/konnector-connection';
import { type ConnectionConfig, KubeconfigError, parseSecretKubeconfig, portableKubeconfig } from '@hawser/kubeconfig';
import { stringify } from 'yaml';

import type { CommandDescription } from '../command-description.js';
import { ConfigError } from '../config.js';
import { type Flag, type ParsedFlags, choice } from '../flags.js';
import { ownConnection } from '../own-connection.js';
import { reportedVersion } from '../version.js';
import { type AskedBinding, type WishedConnection, checkAsked, readAskedBinding, wishesFor } from './bind-wishes.js';
import { type ConsentBy, consentBy, consentsTo, consentsWithoutAsking } from './bind-consents.js';
import { askedDialect } from './consumer-dialect.js';
import {
  type ConsumerCommand,
  consumerFlags,
  readCommandFlags,
  readTimeout,
  withConsumer,
} from './consumer-command.js';
import { document, outputs } from './output.js';
import { consumerStandings, dialectKnown } from './provider-dialects.js';
import type { Task, Terminal } from './task.js';

const ABOUT = `Binds APIs of a provider on a consumer: asks the provider for an export, stores its kubeconfig on the consumer, makes the APIServiceBinding and waits until it is
ready. Repeatable: what is there already is left as it is. Needs the kubeconfig that the provider has handed out for this consumer; or, for who runs both, the kubeconfig of
an operator of the provider, which then takes the consumer on.

Exit codes: 0 bound, 1 refused or not ready in time, 2 wrong usage.`;

const flags: readonly Flag[] = [
  {
    name: 'provider-kubeconfig',
    kind: 'string',
    help: 'kubeconfig that the provider has handed out; the namespace of its context is that of the consumer',
  },
  { name: 'provider-context', kind: 'string', help: 'context of that kubeconfig' },
  {
    name: 'operator-kubeconfig',
    kind: 'string',
    help: 'instead: kubeconfig of somebody on the provider who may make BindableResourcesRequests; the consumer is taken on first',
  },
  { name: 'operator-context', kind: 'string', help: 'context of that kubeconfig' },
  {
    name: 'request-namespace',
    kind: 'string',
    help: 'with --operator-kubeconfig: namespace on the provider for the request and its answer',
    default: 'default',
  },
  {
    name: 'pretty-name',
    kind: 'string',
    help: 'with --operator-kubeconfig: what the consumer is called on the provider',
  },
  {
    name: 'template',
    kind: 'string',
    help: 'what to bind: an APIServiceExportTemplate of the provider; of Klutch NAME or NAMESPACE/NAME',
  },
  {
    name: 'resource',
    kind: 'string',
    repeatable: true,
    help: 'what to bind: PLURAL.GROUP or PLURAL.GROUP/VERSION; may be given several times',
  },
  {
    name: 'name',
    kind: 'string',
    help: 'name of the binding and of the export; empty: that of the template, or of the only resource. In Klutch it is that of the CRD',
  },
  {
    name: 'secret',
    kind: 'string',
    help: 'Secret in the namespace of the konnector for the kubeconfig; empty: one that reaches the same, else kubeconfig-NAME, in Klutch kubeconfig-NAMESPACE',
  },
  {
    name: 'claims',
    kind: 'string',
    help: 'Klutch, whose bindings say yes or no to each claim of the provider: ask, accept or reject',
    default: 'ask',
  },
  ...consumerFlags.filter(({ name }) => !name.startsWith('lease')),
  { name: 'dry-run', kind: 'boolean', help: 'print what would be done, and write nothing anywhere' },
  {
    name: 'output',
    short: 'o',
    kind: 'string',
    help: 'table; json; or yaml: with --dry-run the files that do the same declaratively',
    default: 'table',
  },
  { name: 'show-kubeconfig', kind: 'boolean', help: 'with --dry-run -o yaml: with the credential in the Secret' },
  { name: 'wait', kind: 'boolean', help: 'wait until the binding is ready', default: 'true' },
  {
    name: 'timeout',
    kind: 'string',
    help: 'how long the provider may take to answer, and the konnector to bind',
    default: '5m',
  },
];

/** What help says of it. */
export const bindCommand: CommandDescription = {
  name: 'bind',
  about: ABOUT,
  usage: ['hawser bind [flags]'],
  examples: [
    {
      says: 'bind one API with the kubeconfig that the provider handed out',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --resource databases.example.com',
    },
    {
      says: 'see first what would be done',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --template databases --dry-run',
    },
    {
      says: 'as files, for a repository',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --template databases --dry-run -o yaml > binding.yaml',
    },
    {
      says: 'you run both sides: take the consumer on first',
      line: 'hawser bind --kubeconfig consumer.kubeconfig --operator-kubeconfig provider.kubeconfig --template databases',
    },
  ],
  flags,
};

/** Reads the flags of `hawser bind`. */
export function readBind(args: readonly string[]): Task | string {
  const parsed = readCommandFlags(bindCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const asked = readAskedBinding(parsed);
  const dialect = askedDialect(parsed);
  if (dialect !== 'auto') checkAsked(dialect, asked);
  const access = readAccess(parsed);
  const timeoutMs = readTimeout(parsed);
  const output = choice(parsed, 'output', outputs);
  const given = (flag: string): boolean => values.get(flag) === 'true';
  const settings: Settings = {
    timeoutMs,
    output,
    dryRun: given('dry-run'),
    credentials: given('show-kubeconfig'),
    wait: values.get('wait') !== 'false',
    claims: choice(parsed, 'claims', consentBy),
  };
  return (terminal) =>
    told(terminal, async () => {
      // What is meant for programs is alone on the standard output.
      const common = { terminal, settings, tell: output === 'table' ? terminal.out : terminal.err };
      if (access.kind === 'operator') {
        return await withConsumer(parsed, terminal, async (command) => {
          const working: Working = { ...common, command };
          if (command.spoken.dialect.name !== 'kube-bind') return refused(terminal, noWayInToKlutch);
          return await withProvider(
            (await ownConnection({ kubeconfig: access.file, context: access.context ?? '' }, command.context))(),
            async (operator) => {
              const handed = await onboarded(working, operator, access.onboarding);
              return typeof handed === 'number'
                ? handed
                : await bindAll(
                    working,
                    operator,
                    asked,
                    connectionOf(handed, 'what the provider has handed out').wished,
                  );
            },
          );
        });
      }
      const { wished, connection } = connectionOf(await portable(access.file, access.context, terminal), access.file);
      return await withProvider(connection, async (provider) => {
        const known =
          dialect === 'auto'
            ? dialectKnown(await consumerStandings(provider, wished.clusterNamespace, terminal.signal))
            : dialect;
        if (dialect === 'auto' && known === 'klutch')
          terminal.err(
            'Dialect: klutch, since the provider knows this consumer in the words of Klutch. --dialect says otherwise.',
          );
        return await withConsumer(
          parsed,
          terminal,
          (command) => bindAll({ ...common, command }, command.spoken.speaking(provider), asked, wished),
          known,
        );
      });
    });
}

function refused({ err }: Terminal, refusal: Refusal): number {
  err(refusalText(refusal));
  return 1;
}

/** Whose kubeconfig reaches the provider. */
type Access = {
  readonly file: string;
  readonly context: string | undefined;
  readonly onboarding: Omit<OnboardingWish, 'identity'>;
} & ({ readonly kind: 'consumer' } | { readonly kind: 'operator' });

function readAccess({ values }: ParsedFlags): Access {
  const consumer = values.get('provider-kubeconfig') ?? '';
  const operator = values.get('operator-kubeconfig') ?? '';
  if ((consumer === '') === (operator === ''))
    throw new ConfigError('bind needs either --provider-kubeconfig or --operator-kubeconfig; see hawser bind --help');
  const onboarding = {
    author: 'hawser bind',
    namespace: values.get('request-namespace') ?? 'default',
    prettyName: values.get('pretty-name'),
  };
  return consumer === ''
    ? { kind: 'operator', file: operator, context: values.get('operator-context'), onboarding }
    : { kind: 'consumer', file: consumer, context: values.get('provider-context'), onboarding };
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
    err(
      `${error.message}\nThe credential of a consumer need not reach templates. Name the resources by --resource, or ask the provider to allow get on apiserviceexporttemplates.`,
    );
    return 1;
  }
}

async function withProvider(
  connection: ConnectionConfig,
  work: (provider: Client) => Promise<number>,
): Promise<number> {
  const provider = createClient({ name: 'provider', connection, userAgent: `hawser-bind/${reportedVersion()}` });
  try {
    return await work(provider);
  } finally {
    await provider.close();
  }
}

/** The kubeconfig that the provider hands out; or the exit code, if there is none, which was said. */
async function onboarded(
  { command: { client, context }, terminal, settings: { dryRun, timeoutMs, output }, tell }: Working,
  provider: Client,
  about: Omit<OnboardingWish, 'identity'>,
): Promise<string | number> {
  const { signal } = terminal;
  const wish: OnboardingWish = { ...about, identity: await readConsumerIdentity(client, signal) };
  let before: string | undefined;
  try {
    before = await handedOut(provider, wish, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // The API itself is not there.
    return refused(terminal, noWayInToKlutch);
  }
  if (before !== undefined) return before;
  if (dryRun) {
    printOnboarding(terminal, onboardingRequest(wish), output);
    return 0;
  }
  const result = await onboard({ provider, clock: context.clock, tell, timeoutMs, signal }, wish);
  switch (result.kind) {
    case 'onboarded':
      return result.kubeconfig;
    case 'refused':
      return refused(terminal, result.refusal);
    case 'waiting':
      terminal.err(`Gave up waiting for ${result.what}. The same command goes on from there.`);
      return 1;
  }
}

interface Settings {
  readonly timeoutMs: number;
  readonly output: (typeof outputs)[number];
  readonly dryRun: boolean;
  readonly credentials: boolean;
  readonly wait: boolean;
  readonly claims: ConsentBy;
}

/** All that is asked for, one binding after the other. @param provider speaks the dialect of the consumer */
async function bindAll(
  working: Working,
  provider: Client,
  asked: AskedBinding,
  connection: WishedConnection,
): Promise<number> {
  const {
    command: {
      client: consumer,
      context,
      spoken: { dialect },
    },
    terminal,
    settings,
    tell,
  } = working;
  const { signal } = terminal;
  const wishes = await wishesFor(dialect, asked, connection, provider, signal);
  if ('refusal' in wishes) return refused(terminal, wishes.refusal);
  const planned = async (wish: BindingWish): Promise<BindPlan> =>
    planBinding(wish, await observe({ consumer, provider, signal }, wish));
  const plans: BindPlan[] = [];
  for (const wish of wishes) {
    const plan = await planned(wish);
    const consents = consentsWithoutAsking(plan, settings.claims);
    plans.push(consents.size === 0 ? plan : await planned({ ...wish, consents }));
  }
  const whole = together(plans);
  for (const refusal of whole.refusals) terminal.err(refusalText(refusal));
  const name = wishes.map((wish) => wish.name).join(', ');
  if (settings.dryRun) {
    printPlan(terminal, name, whole, settings);
    return whole.refusals.length === 0 ? 0 : 1;
  }
  if (whole.refusals.length > 0) {
    if (settings.output !== 'table')
      terminal.out(
        document(
          { name, secret: whole.secret, resources: whole.resources, result: 'refused', refusals: whole.refusals },
          settings.output,
        ),
      );
    return 1;
  }
  if (whole.steps.length === 0) tell('Everything is there already.');
  const options = { consumer, provider, clock: context.clock, tell, timeoutMs: settings.timeoutMs, signal };
  const result = await inTurn(
    wishes,
    (wish) => bindOne(working, options, planned, wish),
    settings.wait ? (wish) => untilReady(options, wish.name) : undefined,
  );
  switch (result.kind) {
    case 'bound':
      tell(
        `${name} ${wishes.length === 1 ? 'is' : 'are'} bound${settings.wait ? ' and ready' : ''}: ${whole.resources.join(', ')}.`,
      );
      break;
    case 'refused':
      terminal.err(refusalText(result.refusal));
      break;
    case 'waiting':
      terminal.err(`Gave up waiting for ${result.what}. What was made stays; the same command goes on from there.`);
      break;
  }
  if (settings.output !== 'table')
    terminal.out(
      document({ name, secret: whole.secret, resources: whole.resources, result: result.kind }, settings.output),
    );
  return result.kind === 'bound' ? 0 : 1;
}

/** Binds all, and then waits for all; ends with the first that is not bound. */
async function inTurn(
  wishes: readonly BindingWish[],
  ...works: readonly (((wish: BindingWish) => Promise<BindResult>) | undefined)[]
): Promise<BindResult> {
  for (const work of works) {
    if (work === undefined) continue;
    for (const wish of wishes) {
      const result = await work(wish);
      if (result.kind !== 'bound') return result;
    }
  }
  return { kind: 'bound' };
}

/** What an earlier binding has made is taken into account; where consent is part of the binding, the provider is asked first, and then the user. */
async function bindOne(
  { terminal, settings }: Working,
  options: CarryOutOptions,
  planned: (wish: BindingWish) => Promise<BindPlan>,
  wish: BindingWish,
): Promise<BindResult> {
  let plan = await planned(wish);
  if (plan.refusals.length === 0 && plan.undecided === undefined) {
    const asked = await bind(options, wish, { ...plan, steps: stepsOnProvider(plan) });
    if (asked.kind !== 'bound') return asked;
    plan = await planned(wish);
  }
  const [refusal] = plan.refusals;
  if (refusal !== undefined) return { kind: 'refused', refusal };
  if (plan.undecided === undefined)
    return { kind: 'waiting', what: `the APIServiceExport "${wish.name}" of the provider` };
  if (plan.undecided.length === 0) return await bind(options, wish, plan);
  const consents = await consentsTo(wish.name, plan.undecided, settings.claims, terminal);
  if ('reason' in consents) return { kind: 'refused', refusal: consents };
  const consented = { ...wish, consents };
  return await bind(options, consented, await planned(consented));
}

/** What all of them come to: what several want is done once. */
function together(plans: readonly BindPlan[]): BindPlan {
  const unique = <T>(all: readonly T[], text: (one: T) => string): readonly T[] => [
    ...new Map(all.map((one) => [text(one), one])).values(),
  ];
  return {
    secret: plans[0]?.secret ?? '',
    resources: plans.flatMap(({ resources }) => resources),
    steps: unique(
      plans.flatMap(({ steps }) => steps),
      stepText,
    ),
    refusals: unique(
      plans.flatMap(({ refusals }) => refusals),
      refusalText,
    ),
    undecided: plans.some(({ undecided }) => undecided === undefined)
      ? undefined
      : plans.flatMap(({ undecided = [] }) => undecided),
  };
}

function printPlan({ out, err }: Terminal, name: string, plan: BindPlan, { output, credentials }: Settings): void {
  if (plan.undecided === undefined)
    err(
      'What the provider claims is known once it has answered; the binding then says yes or no to each claim (--claims).',
    );
  else if (plan.undecided.length > 0)
    err(`The provider claims ${plan.undecided.join('; ')}. The binding says yes or no to each (--claims).`);
  switch (output) {
    case 'table':
      if (plan.refusals.length > 0) out('Nothing would be done: see what is refused.');
      else
        out(
          plan.steps.length === 0
            ? 'Nothing to do.'
            : `This would be done:\n${plan.steps.map((step) => `  ${stepText(step)}`).join('\n')}`,
        );
      return;
    case 'json':
      out(
        document(
          {
            name,
            secret: plan.secret,
            resources: plan.resources,
            steps: plan.steps.map(stepText),
            refusals: plan.refusals,
          },
          'json',
        ),
      );
      return;
    case 'yaml': {
      const { provider, consumer } = manifestsOf(plan, { credentials });
      const file = (side: string, objects: readonly object[]): readonly string[] =>
        objects.map(
          (object, at) =>
            `---\n${at === 0 ? `# on the ${side}\n` : ''}${stringify(object, { lineWidth: 0 }).trimEnd()}`,
        );
      out([...file('provider', provider), ...file('consumer', consumer)].join('\n'));
    }
  }
}

/** Of what is done first, and all that is known before it is answered. */
function printOnboarding({ out, err }: Terminal, request: KubeObject, output: Settings['output']): void {
  const step = `create BindableResourcesRequest ${request.metadata.namespace ?? ''}/${request.metadata.name} on the provider`;
  const rest = 'What follows is known once it is answered.';
  if (output === 'table') {
    out(`This would be done first: ${step}. ${rest}`);
    return;
  }
  err(rest);
  out(
    output === 'json'
      ? document({ steps: [step] }, 'json')
      : `---\n# on the provider\n${stringify(request, { lineWidth: 0 }).trimEnd()}`,
  );
}

async function portable(file: string, context: string | undefined, { env }: Terminal): Promise<string> {
  try {
    return await portableKubeconfig({ file, context, env, clock: systemClock });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`${file}: ${error.message}`);
    throw error;
  }
}

function connectionOf(
  kubeconfig: string,
  origin: string,
): { readonly wished: WishedConnection; readonly connection: ConnectionConfig } {
  const read = parseSecretKubeconfig(kubeconfig);
  if (!read.ok)
    throw new ConfigError(
      `${origin} cannot be used by a konnector: ${read.problems.map(({ message }) => message).join(' ')}`,
    );
  return { wished: { kubeconfig, clusterNamespace: read.namespace }, connection: read.connection };
}
