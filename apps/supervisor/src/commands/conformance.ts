import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import {
  Deviation,
  type Report,
  type Result,
  type RunOptions,
  type Role,
  agentChecks,
  bindingChecks,
  conforms,
  junit,
  runAgentConformance,
  runBindingConformance,
  tally,
} from '@hawser/binding-conformance';
import { type Client, createClient, messageOf } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import {
  type Cell,
  type Task,
  type Terminal,
  commandContext,
  noColorFlag,
  ownConnection,
  readCommandFlags,
  readTimeout,
  paintOf,
  reportedVersion,
  table,
} from '@hawser/commands';
import { type CommandDescription, ConfigError, type Flag, type ParsedFlags, helpFlag, listOf } from '@hawser/config';
import { stringify } from '@hawser/json';
import { fixedNames } from '@hawser/kube-bind';
import { workspaceOfURL, withWorkspace } from '@hawser/kcp-api';
import type { ConnectionConfig } from '@hawser/kubeconfig';

const ABOUT = `Checks from outside whether a konnector and a backend of kube-bind 0.8, or an agent of kcp's api-syncagent, of any make, keep the contract: by what stands in the API servers. What MUST hold is
the contract; what SHOULD hold is what people expect who trust a binding with their data; the rest is measured.

With --role konnector the checks play the backend, so that only a konnector has to run; with --role provider they play the konnector. With --role agent they publish an API of the service
cluster, and use it in two workspaces that they create below the workspace of the APIExport. The programs have to run before. Run it on clusters that nobody uses, as an administrator: it
installs CRDs, binds, and removes all of that at the end.

Exit codes: 0 what must hold does, 1 something does not, or a cluster did not answer, 2 wrong usage.`;

const roles: readonly (Role | 'agent')[] = ['pair', 'konnector', 'provider', 'agent'];
const outputs = ['table', 'json', 'junit'] as const;
type Output = (typeof outputs)[number];

const GROUP = 'conformance.example.com';

const flags: readonly Flag[] = [
  { name: 'consumer', kind: 'string', help: 'kubeconfig of the consumer' },
  { name: 'consumer-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'provider', kind: 'string', help: 'kubeconfig of the provider' },
  { name: 'provider-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'role', kind: 'string', help: `what is looked at: ${roles.join(', ')}`, default: 'pair' },
  {
    name: 'provider-server',
    kind: 'string',
    help: 'address at which konnectors reach the provider (default: that of the kubeconfig); for role konnector',
  },
  {
    name: 'binding-kubeconfig',
    kind: 'string',
    help: 'file with the kubeconfig that the backend has handed out for a consumer; default: it is asked by a BindableResourcesRequest, as it answers them without a front end',
  },
  {
    name: 'request-namespace',
    kind: 'string',
    help: 'namespace of the provider for BindableResourcesRequests',
    default: fixedNames.konnectorNamespace,
  },
  {
    name: 'konnector-account',
    kind: 'string',
    help: 'ServiceAccount of the konnector, NAMESPACE/NAME: it is granted the API that is bound; the chart of hawser needs no grant',
  },
  { name: 'service', kind: 'string', help: 'kubeconfig of the service cluster; for role agent' },
  { name: 'service-context', kind: 'string', help: 'context of that kubeconfig' },
  {
    name: 'kcp',
    kind: 'string',
    help: 'kubeconfig of the workspace that has the APIExport; for role agent',
  },
  { name: 'kcp-context', kind: 'string', help: 'context of that kubeconfig' },
  { name: 'export', kind: 'string', help: 'name of the APIExport that the agent fills' },
  {
    name: 'published-labels',
    kind: 'string',
    help: 'labels for PublishedResources, KEY=VALUE,…, where the agent takes only those that have them',
  },
  {
    name: 'agent-account',
    kind: 'string',
    help: 'ServiceAccount of the agent, NAMESPACE/NAME: it is granted the APIs that are published, and Secrets',
  },
  { name: 'group', kind: 'string', help: 'API group that is bound or published', default: GROUP },
  { name: 'only', kind: 'string', repeatable: true, help: 'id of a check; it runs with what it needs' },
  { name: 'strict', kind: 'boolean', help: 'fail for what should hold, too' },
  { name: 'among-bindings', kind: 'boolean', help: 'run although the clusters have bindings or exports' },
  { name: 'keep', kind: 'boolean', help: 'leave everything in the clusters, to look at it' },
  { name: 'timeout', kind: 'string', help: 'the longest that one step may take', default: '60s' },
  { name: 'output', short: 'o', kind: 'string', help: `format: ${outputs.join(', ')}`, default: 'table' },
  noColorFlag,
  helpFlag,
];

/** Help text of the command. */
export const conformanceCommand: CommandDescription = {
  name: 'conformance',
  about: ABOUT,
  usage: [
    'hawser conformance --consumer FILE --provider FILE [flags]',
    'hawser conformance --role provider --provider FILE [flags]',
    'hawser conformance --role agent --service FILE --kcp FILE --export NAME [flags]',
  ],
  examples: [
    {
      purpose: 'a konnector and a backend',
      line: 'hawser conformance --consumer consumer.kubeconfig --provider provider.kubeconfig',
    },
    {
      purpose: 'a konnector alone, for a pipeline',
      line: 'hawser conformance --role konnector --consumer consumer.kubeconfig --provider provider.kubeconfig -o junit',
    },
    { purpose: 'a backend alone', line: 'hawser conformance --role provider --provider provider.kubeconfig' },
    {
      purpose: 'an agent between a service cluster and a kcp',
      line: 'hawser conformance --role agent --service service.kubeconfig --kcp kcp.kubeconfig --export example.com',
    },
  ],
  flags,
};

interface Wanted {
  readonly output: Output;
  readonly timeoutMs: number;
  /** Runs the checks. */
  readonly run: (common: Common, opener: Opener) => Promise<Report>;
}

/** Options of every role. */
type Common = Omit<RunOptions, 'only'> & {
  readonly only: readonly string[] | undefined;
  readonly group: string;
  readonly amongBindings: boolean;
};

/** Opens clients and closes them at the end. */
interface Opener {
  readonly open: (name: string, connection: ConnectionConfig) => Client;
  /** By `--NAME` and `--NAME-context`. */
  readonly connect: (name: string) => Promise<ConnectionConfig>;
}

/** Reads the flags of `hawser conformance`. @throws ConfigError */
export function readConformance(args: readonly string[]): Task | string {
  const parsed = readCommandFlags(conformanceCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const role = oneOf('role', values.get('role') ?? 'pair', roles);
  const known: readonly { readonly id: string }[] = role === 'agent' ? agentChecks : bindingChecks;
  for (const id of listOf(values.get('only') ?? ''))
    if (!known.some((check) => check.id === id))
      throw new ConfigError(`--only: there is no check ${id}; the ids: ${known.map((check) => check.id).join(', ')}`);
  const wanted: Wanted = {
    output: oneOf('output', values.get('output') ?? 'table', outputs),
    timeoutMs: readTimeout(parsed, '60s'),
    run: role === 'agent' ? readAgent(parsed) : readBinding(parsed, role),
  };
  return (terminal) => run(parsed, wanted, terminal);
}

/** Options for the roles of kube-bind. */
function readBinding({ values }: ParsedFlags, role: Role): Wanted['run'] {
  if (!values.has('provider')) throw new ConfigError('--provider is missing: the kubeconfig of the provider');
  if (role !== 'provider' && !values.has('consumer'))
    throw new ConfigError('--consumer is missing: the kubeconfig of the consumer; without one, --role provider');
  const konnectorAccount = readAccount('konnector-account', values.get('konnector-account'));
  return async (common, { open, connect }) => {
    const provider = await connect('provider');
    return runBindingConformance({
      ...common,
      role,
      konnectorAccount,
      consumer: role === 'provider' ? undefined : open('consumer', await connect('consumer')),
      provider: open('provider', provider),
      address: { ...provider, server: values.get('provider-server') ?? provider.server },
      open,
      requestNamespace: values.get('request-namespace') ?? fixedNames.konnectorNamespace,
      bindingKubeconfig: readBindingKubeconfig(values.get('binding-kubeconfig')),
    });
  };
}

function readAgent({ values }: ParsedFlags): Wanted['run'] {
  const exportName = values.get('export');
  if (!values.has('service')) throw new ConfigError('--service is missing: the kubeconfig of the service cluster');
  if (!values.has('kcp'))
    throw new ConfigError('--kcp is missing: the kubeconfig of the workspace that has the APIExport');
  if (exportName === undefined)
    throw new ConfigError('--export is missing: the name of the APIExport that the agent fills');
  const agentAccount = readAccount('agent-account', values.get('agent-account'));
  const publishedLabels = readLabels(values.get('published-labels') ?? '');
  return async (common, { open, connect }) => {
    const kcp = await connect('kcp');
    workspaceOf(kcp);
    return runAgentConformance({
      ...common,
      service: open('service cluster', await connect('service')),
      kcp: open('kcp', kcp),
      open: (name, cluster) => open(name, { ...kcp, server: withWorkspace(kcp.server, cluster) }),
      exportName,
      publishedLabels,
      agentAccount,
    });
  };
}

async function run(parsed: ParsedFlags, wanted: Wanted, terminal: Terminal): Promise<number> {
  const { values } = parsed;
  const { output, timeoutMs } = wanted;
  const opened: Client[] = [];
  const open = (name: string, connection: ConnectionConfig): Client => {
    const client = createClient({ name, connection, userAgent: `hawser-conformance/${reportedVersion()}` });
    opened.push(client);
    return client;
  };
  const connect = async (name: string): Promise<ConnectionConfig> =>
    (
      await ownConnection(
        { kubeconfig: values.get(name) ?? '', context: values.get(`${name}-context`) ?? '' },
        commandContext(terminal.env),
      )
    )();
  const only = listOf(values.get('only') ?? '');
  const common: Common = {
    timeoutMs,
    group: values.get('group') ?? GROUP,
    amongBindings: values.get('among-bindings') === 'true',
    keep: values.get('keep') === 'true',
    only: only.length === 0 ? undefined : only,
    suffix: randomBytes(4).toString('hex'),
    clock: systemClock,
    signal: terminal.signal,
    onResult: (result) => {
      if (output === 'table' || result.outcome.kind === 'failed') terminal.err(line(result));
    },
  };
  try {
    const report = await wanted.run(common, { open, connect });
    print(report, parsed, output, terminal);
    for (const what of report.left) terminal.err(`left behind: ${what}`);
    return conforms(report, values.get('strict') === 'true') ? 0 : 1;
  } catch (error) {
    if (!(error instanceof Deviation)) throw error;
    terminal.err(error.message);
    return 1;
  } finally {
    await Promise.all(opened.map((client) => client.close()));
  }
}

const words = { passed: 'ok', measured: 'measured', failed: 'FAILED', skipped: 'skipped' } as const;

function detailOf({ outcome }: Result): string {
  switch (outcome.kind) {
    case 'passed':
      return '';
    case 'measured':
      return outcome.figure;
    case 'failed':
    case 'skipped':
      return outcome.why;
  }
}

function line(result: Result): string {
  const seconds = (result.ms / 1_000).toFixed(1);
  return `${words[result.outcome.kind]} ${result.id} (${seconds} s)${detailOf(result) === '' ? '' : `: ${detailOf(result)}`}`;
}

function print(report: Report, parsed: ParsedFlags, output: Output, terminal: Terminal): void {
  const { results } = report;
  const [must, should] = [tally(results, 'must'), tally(results, 'should')];
  switch (output) {
    case 'json':
      terminal.out(stringify({ ...report, must, should }));
      break;
    case 'junit':
      terminal.out(junit(report));
      break;
    case 'table': {
      const rows = results.map((result): readonly Cell[] => [
        result.part,
        result.level,
        cellOf(result),
        result.title,
        detailOf(result),
      ]);
      terminal.out(table(['PART', 'LEVEL', 'RESULT', 'WHAT', 'SEEN'], rows, paintOf(parsed, terminal)));
      terminal.out(`must: ${count(must)}; should: ${count(should)}`);
    }
  }
}

function cellOf({ outcome, level }: Result): Cell {
  const text = words[outcome.kind];
  switch (outcome.kind) {
    case 'passed':
      return { text, tone: 'good' };
    case 'failed':
      return { text, tone: level === 'must' ? 'bad' : 'warning' };
    case 'measured':
    case 'skipped':
      return text;
  }
}

const count = ({ passed, failed, skipped }: ReturnType<typeof tally>): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new ConfigError(`--${name}: must be one of ${known.join(', ')}, not "${value}"`);
  return found;
}

type Account = { readonly namespace: string; readonly name: string };

function readAccount(flag: string, text: string | undefined): Account | undefined {
  if (text === undefined) return undefined;
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new ConfigError(`--${flag}: must be NAMESPACE/NAME, not "${text}"`);
  return { namespace, name };
}

function readLabels(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listOf(text).map((pair): readonly [string, string] => {
      const [key = '', value, ...rest] = pair.split('=');
      if (key === '' || value === undefined || rest.length > 0)
        throw new ConfigError(`--published-labels: must be KEY=VALUE, not "${pair}"`);
      return [key, value];
    }),
  );
}

/** @throws ConfigError unless the server URL names a workspace */
function workspaceOf({ server }: ConnectionConfig): string {
  try {
    return workspaceOfURL(server);
  } catch (error) {
    throw new ConfigError(`--kcp: ${messageOf(error)}`);
  }
}

function readBindingKubeconfig(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`--binding-kubeconfig: ${messageOf(error)}`);
  }
}
