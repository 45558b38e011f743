import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

import {
  Deviation,
  type Report,
  type Result,
  type Role,
  checks,
  conforms,
  junit,
  runConformance,
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
import type { ConnectionConfig } from '@hawser/kubeconfig';

const ABOUT = `Checks from outside whether a konnector and a backend of kube-bind 0.8, of any make, keep the contract: by what stands in the two API servers. What MUST hold is the contract; what SHOULD
hold is what people expect who trust a binding with their data; the rest is measured.

With --role konnector the checks play the backend, so that only a konnector has to run; with --role provider they play the konnector. The programs have to run before. Run it on clusters that
nobody uses, as an administrator: it installs a CRD, takes a consumer on, binds, and removes all of that at the end.

Exit codes: 0 what must hold does, 1 something does not, or a cluster did not answer, 2 wrong usage.`;

const roles: readonly Role[] = ['pair', 'konnector', 'provider'];
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
  { name: 'group', kind: 'string', help: 'API group that is bound', default: GROUP },
  { name: 'only', kind: 'string', repeatable: true, help: 'id of a check; it runs with what it needs' },
  { name: 'strict', kind: 'boolean', help: 'fail for what should hold, too' },
  { name: 'among-bindings', kind: 'boolean', help: 'run although the clusters have bindings or exports' },
  { name: 'keep', kind: 'boolean', help: 'leave everything in the clusters, to look at it' },
  { name: 'timeout', kind: 'string', help: 'the longest that one step may take', default: '60s' },
  { name: 'output', short: 'o', kind: 'string', help: `format: ${outputs.join(', ')}`, default: 'table' },
  noColorFlag,
  helpFlag,
];

/** What help says of it. */
export const conformanceCommand: CommandDescription = {
  name: 'conformance',
  about: ABOUT,
  usage: [
    'hawser conformance --consumer FILE --provider FILE [flags]',
    'hawser conformance --role provider --provider FILE [flags]',
  ],
  examples: [
    {
      says: 'a konnector and a backend',
      line: 'hawser conformance --consumer consumer.kubeconfig --provider provider.kubeconfig',
    },
    {
      says: 'a konnector alone, for a pipeline',
      line: 'hawser conformance --role konnector --consumer consumer.kubeconfig --provider provider.kubeconfig -o junit',
    },
    { says: 'a backend alone', line: 'hawser conformance --role provider --provider provider.kubeconfig' },
  ],
  flags,
};

interface Wanted {
  readonly role: Role;
  readonly output: Output;
  readonly timeoutMs: number;
  readonly konnectorAccount: { readonly namespace: string; readonly name: string } | undefined;
}

/** Reads the flags of `hawser conformance`. @throws ConfigError */
export function readConformance(args: readonly string[]): Task | string {
  const parsed = readCommandFlags(conformanceCommand, args);
  if (typeof parsed === 'string') return parsed;
  const { values } = parsed;
  const wanted: Wanted = {
    role: oneOf('role', values.get('role') ?? 'pair', roles),
    output: oneOf('output', values.get('output') ?? 'table', outputs),
    timeoutMs: readTimeout(parsed, '60s'),
    konnectorAccount: readAccount(values.get('konnector-account')),
  };
  for (const id of listOf(values.get('only') ?? ''))
    if (!checks.some((check) => check.id === id))
      throw new ConfigError(`--only: there is no check ${id}; the ids: ${checks.map((check) => check.id).join(', ')}`);
  if (!values.has('provider')) throw new ConfigError('--provider is missing: the kubeconfig of the provider');
  if (wanted.role !== 'provider' && !values.has('consumer'))
    throw new ConfigError('--consumer is missing: the kubeconfig of the consumer; without one, --role provider');
  return (terminal) => run(parsed, wanted, terminal);
}

async function run(parsed: ParsedFlags, wanted: Wanted, terminal: Terminal): Promise<number> {
  const { values } = parsed;
  const { role, output } = wanted;
  const opened: Client[] = [];
  const open = (name: string, connection: ConnectionConfig): Client => {
    const client = createClient({ name, connection, userAgent: `hawser-conformance/${reportedVersion()}` });
    opened.push(client);
    return client;
  };
  const connect = async (side: 'consumer' | 'provider'): Promise<ConnectionConfig> =>
    (
      await ownConnection(
        { kubeconfig: values.get(side) ?? '', context: values.get(`${side}-context`) ?? '' },
        commandContext(terminal.env),
      )
    )();
  const only = listOf(values.get('only') ?? '');
  try {
    const provider = await connect('provider');
    const report = await runConformance({
      ...wanted,
      consumer: role === 'provider' ? undefined : open('consumer', await connect('consumer')),
      provider: open('provider', provider),
      address: { ...provider, server: values.get('provider-server') ?? provider.server },
      open,
      group: values.get('group') ?? GROUP,
      requestNamespace: values.get('request-namespace') ?? fixedNames.konnectorNamespace,
      bindingKubeconfig: readBindingKubeconfig(values.get('binding-kubeconfig')),
      amongBindings: values.get('among-bindings') === 'true',
      keep: values.get('keep') === 'true',
      only: only.length === 0 ? undefined : only,
      suffix: randomBytes(4).toString('hex'),
      clock: systemClock,
      signal: terminal.signal,
      tell: (result) => {
        if (output === 'table' || result.outcome.kind === 'failed') terminal.err(line(result));
      },
    });
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

function said({ outcome }: Result): string {
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
  return `${words[result.outcome.kind]} ${result.id} (${seconds} s)${said(result) === '' ? '' : `: ${said(result)}`}`;
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
        said(result),
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

function readAccount(text: string | undefined): Wanted['konnectorAccount'] {
  if (text === undefined) return undefined;
  const [namespace = '', name = '', ...rest] = text.split('/');
  if (namespace === '' || name === '' || rest.length > 0)
    throw new ConfigError(`--konnector-account: must be NAMESPACE/NAME, not "${text}"`);
  return { namespace, name };
}

function readBindingKubeconfig(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`--binding-kubeconfig: ${messageOf(error)}`);
  }
}
