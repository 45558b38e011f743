import { parseDuration } from '@hawser/kube-bind';

import {
  type ConfigInput,
  type Config,
  ConfigError,
  COMPATIBLE,
  type Flag,
  type ParsedFlags,
  helpFlag,
} from '@hawser/config';

/** The flags of the Go konnector (`spec/konnector.md §2.1`), and no others. */
export const konnectorFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the consumer; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  { name: 'lease-name', kind: 'string', help: 'name of the Lease', default: 'kube-bind' },
  { name: 'lease-namespace', kind: 'string', help: 'namespace of the Lease; empty: POD_NAMESPACE, else kube-system' },
  { name: 'server-address', kind: 'string', help: 'where /healthz, /readyz and /metrics are served', default: ':8090' },
  {
    name: 'provider-polling-interval',
    kind: 'string',
    help: 'how often exports are listed for bundles where the provider does not let them be watched',
    default: '15s',
  },
  { name: 'v', short: 'v', kind: 'string', help: 'log verbosity; 4 and above logs debug lines', default: '2' },
  { name: 'vmodule', kind: 'string', help: COMPATIBLE },
  { name: 'logging-format', kind: 'string', help: 'text or json', default: 'text' },
  { name: 'log-flush-frequency', kind: 'string', help: COMPATIBLE, default: '5s' },
  { name: 'log-json-info-buffer-size', kind: 'string', help: COMPATIBLE },
  { name: 'log-json-split-stream', kind: 'boolean', help: COMPATIBLE },
  { name: 'log-text-info-buffer-size', kind: 'string', help: COMPATIBLE },
  { name: 'log-text-split-stream', kind: 'boolean', help: COMPATIBLE },
  { name: 'feature-gates', kind: 'string', help: COMPATIBLE },
  { name: 'version', kind: 'boolean', help: 'print the version and exit' },
  helpFlag,
];

/** Further flags of Klutch's konnector (`spec/klutch.md §6`), set by the AppClusterBinding that deploys it. */
export const controlPlaneFlags: readonly Flag[] = [
  {
    name: 'control-plane-mode',
    kind: 'boolean',
    help: 'serve an app cluster of Klutch from beside its provider',
    default: 'false',
  },
  {
    name: 'app-cluster-kubeconfig-secret-name',
    kind: 'string',
    help: 'with --control-plane-mode: Secret with the kubeconfig of the app cluster',
  },
  { name: 'app-cluster-kubeconfig-secret-namespace', kind: 'string', help: 'with --control-plane-mode: its namespace' },
  {
    name: 'app-cluster-kubeconfig-secret-key',
    kind: 'string',
    help: 'with --control-plane-mode: its key',
    default: 'kubeconfig',
  },
  {
    name: 'binding-root-namespace',
    kind: 'string',
    help: 'with --control-plane-mode: namespace of the APIServiceBindings',
  },
];

/**
 * Parses control plane mode; undefined without `--control-plane-mode`.
 * @throws ConfigError naming the first missing or meaningless flag
 */
export function controlPlaneMode({ values }: ParsedFlags): Required<Config['konnector']>['controlPlaneMode'] {
  const given = (name: string): string => values.get(name) ?? '';
  const [mode, ...others] = controlPlaneFlags.map(({ name }) => name);
  if (mode === undefined || given(mode) !== 'true') {
    const surplus = others.find((name) => values.has(name));
    if (surplus !== undefined) throw new ConfigError(`--${surplus}: means something only with --control-plane-mode`);
    return undefined;
  }
  const missing = others.find((name) => name !== 'app-cluster-kubeconfig-secret-key' && given(name) === '');
  if (missing !== undefined) throw new ConfigError(`--${missing}: is required with --control-plane-mode`);
  return {
    kubeconfigSecret: {
      namespace: given('app-cluster-kubeconfig-secret-namespace'),
      name: given('app-cluster-kubeconfig-secret-name'),
      key: given('app-cluster-kubeconfig-secret-key') || 'kubeconfig',
    },
    rootNamespace: given('binding-root-namespace'),
  };
}

/** Config from these flags. Sets only what was given. */
export function konnectorFlagsToConfig({ values }: ParsedFlags): ConfigInput {
  const given = (name: string): string | undefined => values.get(name);
  const konnector: ConfigInput = {};
  const lease: ConfigInput = {};
  const logging: ConfigInput = {};
  const set = (target: ConfigInput, key: string, value: unknown): void => {
    if (value !== undefined) target[key] = value;
  };
  set(konnector, 'kubeconfig', given('kubeconfig'));
  set(konnector, 'context', given('context'));
  set(lease, 'name', given('lease-name'));
  set(lease, 'namespace', given('lease-namespace'));
  set(
    konnector,
    'providerPollingIntervalSeconds',
    seconds('provider-polling-interval', given('provider-polling-interval')),
  );
  set(logging, 'level', level(given('v')));
  set(logging, 'format', format(given('logging-format')));
  if (Object.keys(lease).length > 0) konnector['lease'] = lease;
  const address = given('server-address');
  return {
    ...(address === undefined ? {} : { serverAddress: address === '' ? ':8090' : address }),
    ...(Object.keys(logging).length === 0 ? {} : { logging }),
    konnector,
  };
}

function seconds(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = parseDuration(value);
  if (ms === undefined || Number.isNaN(ms)) throw new ConfigError(`--${flag}: is not a duration: "${value}"`);
  if (ms <= 0) throw new ConfigError(`--${flag}: must be longer than zero, not "${value}"`);
  return ms / 1_000;
}

function level(verbosity: string | undefined): string | undefined {
  if (verbosity === undefined) return undefined;
  if (!/^\d+$/u.test(verbosity)) throw new ConfigError(`--v: must be a number, not "${verbosity}"`);
  return Number(verbosity) >= 4 ? 'debug' : 'info';
}

function format(value: string | undefined): string | undefined {
  if (value === undefined || value === 'text' || value === 'json') return value;
  throw new ConfigError(`--logging-format: must be text or json, not "${value}"`);
}
