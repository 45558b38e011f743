import { ConfigError, type Flag, type ParsedFlags, helpFlag, listOf, type ConfigInput } from '@hawser/config';

/** Flags of the Go agent (`spec/api-syncagent.md §5.1`), and `--apiexport-ref`, which it had before. */
export const syncagentFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the service cluster; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'kubeconfig-host-override', kind: 'string', help: 'replaces the server of that kubeconfig' },
  { name: 'kubeconfig-ca-file-override', kind: 'string', help: 'replaces the CA of that kubeconfig' },
  {
    name: 'kcp-kubeconfig',
    kind: 'string',
    help: 'kubeconfig of kcp; its server is the workspace of the endpoint slice (required)',
  },
  {
    name: 'namespace',
    kind: 'string',
    help: 'namespace on the service cluster for state Secrets and the Lease (required)',
  },
  { name: 'apiexportendpointslice-ref', kind: 'string', help: 'name of the APIExportEndpointSlice (required)' },
  { name: 'apiexport-ref', kind: 'string', help: 'the same, where the slice has the name of the APIExport' },
  {
    name: 'agent-name',
    kind: 'string',
    help: 'stands on every copy, so it must never change (default <endpoint slice>-syncagent)',
  },
  {
    name: 'published-resource-selector',
    kind: 'string',
    help: 'label selector of the PublishedResources that this agent serves',
  },
  {
    name: 'enable-leader-election',
    kind: 'boolean',
    help: 'work only while holding the Lease syncagent.<agent name>',
    default: 'false',
  },
  { name: 'metrics-address', kind: 'string', help: 'where /metrics is served; 0: nowhere', default: '127.0.0.1:8085' },
  { name: 'health-address', kind: 'string', help: 'where /healthz and /readyz are served; empty or 0: nowhere' },
  {
    name: 'disabled-controllers',
    kind: 'string',
    repeatable: true,
    help: 'comma-separated: apiexport, apiresourceschema, sync',
  },
  { name: 'log-debug', kind: 'boolean', help: 'log debug lines', default: 'false' },
  { name: 'log-format', kind: 'string', help: 'JSON or Console', default: 'JSON' },
  { name: 'version', kind: 'boolean', help: 'print the version and exit' },
  helpFlag,
];

/**
 * Config from these flags: one agent, which adopts unmarked objects as the Go agent does.
 * @throws ConfigError with one line per problem.
 */
export function syncagentFlagsToConfig({ values }: ParsedFlags): ConfigInput {
  const given = (name: string): string => values.get(name) ?? '';
  const slice = given('apiexportendpointslice-ref') || given('apiexport-ref');
  const format = (values.get('log-format') ?? 'JSON').toLowerCase();
  const problems = [
    ...(given('kcp-kubeconfig') === '' ? ['--kcp-kubeconfig: is required'] : []),
    ...(given('namespace') === '' ? ['--namespace: is required'] : []),
    ...(slice === '' ? ['--apiexportendpointslice-ref: is required'] : []),
    ...(format === 'json' || format === 'console'
      ? []
      : [`--log-format: must be JSON or Console, not "${given('log-format')}"`]),
  ];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const agentName = values.get('agent-name');
  const disabledControllers = listOf(given('disabled-controllers'));
  return {
    roles: ['syncagent'],
    serverAddress: '',
    metricsAddress: offIfZero(values.get('metrics-address') ?? '127.0.0.1:8085'),
    healthAddress: offIfZero(given('health-address')),
    logging: {
      level: given('log-debug') === 'true' ? 'debug' : 'info',
      format: format === 'console' ? 'text' : 'json',
    },
    syncagent: {
      kubeconfig: given('kubeconfig'),
      hostOverride: given('kubeconfig-host-override'),
      caFileOverride: given('kubeconfig-ca-file-override'),
      agents: [
        {
          kcpKubeconfig: given('kcp-kubeconfig'),
          endpointSlice: slice,
          namespace: given('namespace'),
          ...(agentName === undefined ? {} : { agentName }),
          publishedResourceSelector: given('published-resource-selector'),
          disabledControllers,
          adoption: 'Adopt',
          lease: { enabled: given('enable-leader-election') === 'true' },
        },
      ],
    },
  };
}

function offIfZero(address: string): string {
  return address === '0' ? '' : address;
}
