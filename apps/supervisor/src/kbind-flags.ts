import { COMPATIBLE, ConfigError, type ConfigInput, type Flag, type ParsedFlags, helpFlag } from '@hawser/config';

/** Lease, health and metrics defaults of the Go program (`spec/kbind-v2.md §6`). */
const DEFAULTS = { lease: 'konnector.kbind.io', metrics: ':8085', health: ':8081' } as const;

/** Flags of the Go program that serves `core.kbind.io` (`spec/kbind-v2.md §6`), and no others. */
export const kbindFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the consumer; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  {
    name: 'metrics-bind-address',
    kind: 'string',
    help: 'where /metrics is served; 0: nowhere',
    default: DEFAULTS.metrics,
  },
  {
    name: 'health-probe-bind-address',
    kind: 'string',
    help: 'where /healthz and /readyz are served; 0: nowhere',
    default: DEFAULTS.health,
  },
  { name: 'leader-elect', kind: 'boolean', help: 'work only while holding the Lease', default: 'false' },
  { name: 'leader-election-id', kind: 'string', help: 'name of the Lease', default: DEFAULTS.lease },
  { name: 'zap-devel', kind: 'boolean', help: 'log text; false: JSON', default: 'true' },
  { name: 'zap-encoder', kind: 'string', help: 'console or json; wins over --zap-devel' },
  { name: 'zap-log-level', kind: 'string', help: 'debug, info, error, panic, or a number: from 1 on debug lines' },
  { name: 'zap-stacktrace-level', kind: 'string', help: COMPATIBLE },
  { name: 'zap-time-encoding', kind: 'string', help: COMPATIBLE },
  { name: 'version', kind: 'boolean', help: 'print the version and exit' },
  helpFlag,
];

/**
 * Config from these flags: only `core.kbind.io`, with Secrets of any namespace, as in the Go program.
 * @throws ConfigError for a value that the Go program would refuse
 */
export function kbindFlagsToConfig({ values }: ParsedFlags): ConfigInput {
  const given = (name: string): string => values.get(name) ?? '';
  return {
    roles: ['konnector'],
    serverAddress: '',
    metricsAddress: offIfZero(values.get('metrics-bind-address') ?? DEFAULTS.metrics),
    healthAddress: offIfZero(values.get('health-probe-bind-address') ?? DEFAULTS.health),
    logging: { level: levelOf(given('zap-log-level')), format: formatOf(values) },
    konnector: {
      kubeconfig: given('kubeconfig'),
      lease: { enabled: given('leader-elect') === 'true', name: values.get('leader-election-id') ?? DEFAULTS.lease },
      coreKbind: { enabled: true, alone: true, secretNamespaces: ['*'] },
      // Schema changes arrive as before; annotations of the bindings limit them.
      schemaUpdate: 'Always',
    },
  };
}

function offIfZero(address: string): string {
  return address === '0' ? '' : address;
}

function levelOf(level: string): string {
  switch (level.toLowerCase()) {
    case '':
    case 'info':
      return 'info';
    case 'debug':
      return 'debug';
    case 'error':
    case 'panic':
      return 'error';
    default:
      if (/^[1-9]\d*$/u.test(level)) return 'debug';
      throw new ConfigError(`--zap-log-level: must be debug, info, error, panic or a number from 1 on, not "${level}"`);
  }
}

function formatOf(values: ParsedFlags['values']): string {
  const encoder = values.get('zap-encoder') ?? (values.get('zap-devel') === 'false' ? 'json' : 'console');
  if (encoder === 'json') return 'json';
  if (encoder === 'console') return 'text';
  throw new ConfigError(`--zap-encoder: must be console or json, not "${encoder}"`);
}
