import { type OnboardingWish, handedOut, noWayInToKlutch, onboard, onboardingRequest } from '@hawser/bind';
import { type Client, createClient, isApiError, isNotFound } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { readConsumerIdentity } from '@hawser/konnector-connection';
import { type ConnectionConfig, KubeconfigError, parseSecretKubeconfig, portableKubeconfig } from '@hawser/kubeconfig';

import { type CommandDescription, ConfigError, type Flag, type ParsedFlags, choice } from '@hawser/config';
import { ownConnection } from './own-connection.js';
import { reportedVersion } from './version.js';
import { type WishedConnection, checkAsked, readAskedBinding } from './bind-wishes.js';
import { consentBy } from './bind-consents.js';
import { bindCoreKbind, readCoreKbindWish } from './bind-core-kbind.js';
import { askedAnyDialect, bindingDialectFlag } from './consumer-dialect.js';
import { consumerFlags, readCommandFlags, readTimeout, withConsumer } from './consumer-command.js';
import { outputs } from './output.js';
import { consumerStandings, dialectKnown } from './provider-dialects.js';
import type { Task, Terminal } from './task.js';
import { printOnboarding } from './bind-print.js';
import { type Settings, type Working, bindAll, refused } from './bind-all.js';

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
    help: 'instead: kubeconfig of a provider user who may create BindableResourcesRequests; the consumer is taken on first',
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
  {
    name: 'connection',
    kind: 'string',
    help: 'core-kbind: name of the Connection; empty: one with this kubeconfig, else NAME',
  },
  {
    name: 'namespace',
    short: 'n',
    kind: 'string',
    help: 'core-kbind: bind for this namespace alone, by a Binding; empty: for the whole cluster, by a ClusterBinding',
  },
  ...consumerFlags.filter(({ name }) => !name.startsWith('lease') && name !== 'dialect'),
  bindingDialectFlag,
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

/** Help text. */
export const bindCommand: CommandDescription = {
  name: 'bind',
  about: ABOUT,
  usage: ['hawser bind [flags]'],
  examples: [
    {
      purpose: 'bind one API with the kubeconfig that the provider handed out',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --resource databases.example.com',
    },
    {
      purpose: 'see first what would be done',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --template databases --dry-run',
    },
    {
      purpose: 'as files, for a repository',
      line: 'hawser bind --provider-kubeconfig handed-out.kubeconfig --template databases --dry-run -o yaml > binding.yaml',
    },
    {
      purpose: 'in the words of core.kbind.io: a Secret, a Connection and a ClusterBinding',
      line: 'hawser bind --dialect core-kbind --provider-kubeconfig provider.kubeconfig --resource databases.example.com',
    },
    {
      purpose: 'you run both sides: take the consumer on first',
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
  const dialect = askedAnyDialect(parsed);
  checkFlags(parsed, dialect);
  if (dialect !== 'auto' && dialect !== 'core-kbind') checkAsked(dialect, asked);
  if (dialect === 'core-kbind') readCoreKbindWish(parsed, asked, '');
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
    withTemplatesHint(terminal, async () => {
      // Standard output holds only output for programs.
      const common = { terminal, settings, print: output === 'table' ? terminal.out : terminal.err };
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
      const kubeconfig = await portable(access.file, access.context, terminal);
      if (dialect === 'core-kbind')
        return await withProvider(connectionWithout(kubeconfig, access.file), async (provider) =>
          withConsumer(
            parsed,
            terminal,
            (command) => bindCoreKbind({ ...common, command }, provider, readCoreKbindWish(parsed, asked, kubeconfig)),
            'kube-bind',
          ),
        );
      const { wished, connection } = connectionOf(kubeconfig, access.file);
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

/** Checks flags that only one dialect has. @throws ConfigError for a flag without meaning in this dialect */
function checkFlags({ values }: ParsedFlags, dialect: ReturnType<typeof askedAnyDialect>): void {
  const [only] = dialect === 'core-kbind' ? ['operator-kubeconfig', 'claims'].filter((flag) => values.has(flag)) : [];
  if (only !== undefined) throw new ConfigError(`--${only}: means nothing with --dialect=core-kbind`);
  const [surplus] = ['connection', 'namespace'].filter((flag) => dialect !== 'core-kbind' && values.has(flag));
  if (surplus !== undefined) throw new ConfigError(`--${surplus}: means something only with --dialect=core-kbind`);
}

/** As {@link connectionOf}, of a kubeconfig whose context need not name a namespace. @throws ConfigError */
export function connectionWithout(kubeconfig: string, origin: string): ConnectionConfig {
  const read = parseSecretKubeconfig(kubeconfig, { defaultNamespace: 'default' });
  if (read.ok) return read.connection;
  throw new ConfigError(
    `${origin} cannot be used by a konnector: ${read.problems.map(({ message }) => message).join(' ')}`,
  );
}

/** How to reach the provider: with the kubeconfig of a consumer or of an operator. */
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

/** Prints the next step if the refusal alone leaves the user without help. */
async function withTemplatesHint({ err }: Terminal, work: () => Promise<number>): Promise<number> {
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

/** Opens the provider for `work`, and closes it afterwards. */
export async function withProvider<T>(
  connection: ConnectionConfig,
  work: (provider: Client) => Promise<T>,
): Promise<T> {
  const provider = createClient({ name: 'provider', connection, userAgent: `hawser-bind/${reportedVersion()}` });
  try {
    return await work(provider);
  } finally {
    await provider.close();
  }
}

/** The kubeconfig from the provider; or the exit code, with the reason already printed. */
async function onboarded(
  { command: { client, context }, terminal, settings: { dryRun, timeoutMs, output }, print }: Working,
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
    // The API itself is missing.
    return refused(terminal, noWayInToKlutch);
  }
  if (before !== undefined) return before;
  if (dryRun) {
    printOnboarding(terminal, onboardingRequest(wish), output);
    return 0;
  }
  const result = await onboard({ provider, clock: context.clock, print, timeoutMs, signal }, wish);
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

/** The kubeconfig of a file, in a form to store in a Secret. @throws ConfigError */
export async function portable(file: string, context: string | undefined, { env }: Terminal): Promise<string> {
  try {
    return await portableKubeconfig({ file, context, env, clock: systemClock });
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`${file}: ${error.message}`);
    throw error;
  }
}

/**
 * Reads a kubeconfig as a konnector does. @throws ConfigError for one that a konnector would refuse; `origin` names its
 * source
 */
export function connectionOf(
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
