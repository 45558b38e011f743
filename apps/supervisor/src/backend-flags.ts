import { parseDuration } from '@hawser/kube-bind';

import {
  type Config,
  ConfigError,
  COMPATIBLE,
  type Flag,
  type ParsedFlags,
  listOf,
  type ConfigInput,
} from '@hawser/config';
import { konnectorFlags, konnectorFlagsToConfig } from './konnector-flags.js';
import { portalFlags, portalOfFlags } from './portal-flags.js';

const ofLogging = new Set([
  'v',
  'vmodule',
  'logging-format',
  'log-flush-frequency',
  'log-json-info-buffer-size',
  'log-json-split-stream',
  'log-text-info-buffer-size',
  'log-text-split-stream',
  'feature-gates',
  'version',
  'help',
]);

/** Flags of the Go backend (`spec/kube-bind-backend.md §3.1`), then four of our own. */
export const backendFlags: readonly Flag[] = [
  {
    name: 'kubeconfig',
    kind: 'string',
    help: 'kubeconfig of the provider; empty: KUBECONFIG, the home file, or the cluster that this runs in',
  },
  { name: 'context', kind: 'string', help: 'context of the kubeconfig' },
  {
    name: 'namespace-prefix',
    kind: 'string',
    help: "prefix of the names of consumers' namespaces",
    default: 'cluster-',
  },
  { name: 'pretty-name', kind: 'string', help: 'name of the provider for people', default: 'Backend' },
  {
    name: 'consumer-scope',
    kind: 'string',
    help: 'how konnectors may watch: namespaced or cluster',
    default: 'Namespaced',
  },
  {
    name: 'isolation',
    kind: 'string',
    help: 'how consumers are kept apart: prefixed, namespaced or none',
    default: 'Prefixed',
  },
  { name: 'cluster-scoped-isolation', kind: 'string', help: 'the same, deprecated' },
  {
    name: 'external-address',
    kind: 'string',
    help: 'https address of the API server for consumers; empty: the one that this uses',
  },
  {
    name: 'external-ca-file',
    kind: 'string',
    help: 'certificate authorities for consumers; empty: those that this uses',
  },
  { name: 'external-server-name', kind: 'string', help: "name in the server's certificate, for consumers" },
  {
    name: 'schema-source',
    kind: 'string',
    help: 'only CRDs: customresourcedefinitions',
    default: 'CustomResourceDefinition.v1.apiextensions.k8s.io',
  },
  { name: 'schema-sync-interval', kind: 'string', help: 'accepted; changes are watched', default: '5m' },
  {
    name: 'frontend-disabled',
    kind: 'boolean',
    help: 'no sign-in and no HTTP API, only the controllers',
    default: 'false',
  },
  {
    name: 'listen-address',
    kind: 'string',
    help: 'where the portal is served; with --frontend-disabled /healthz, /readyz and /metrics',
    default: '127.0.0.1:8080',
  },
  { name: 'listen-ip', kind: 'string', help: 'the same, deprecated: wins together with --listen-port' },
  { name: 'listen-port', kind: 'string', help: 'deprecated' },
  { name: 'tls-cert-file', kind: 'string', help: 'PEM file: TLS of the portal ends here' },
  { name: 'tls-key-file', kind: 'string', help: 'PEM file: TLS of the portal ends here' },
  { name: 'multicluster-runtime-provider', kind: 'string', help: 'only kubernetes', default: 'kubernetes' },
  { name: 'apiexport-endpoint-slice-name', kind: 'string', help: COMPATIBLE },
  { name: 'apibinding-ignore-prefixes', kind: 'string', repeatable: true, help: COMPATIBLE },
  ...portalFlags,
  { name: 'testing-auto-select', kind: 'string', help: COMPATIBLE },
  ...konnectorFlags.filter(({ name }) => ofLogging.has(name)),
  {
    name: 'shared-cluster-scope',
    kind: 'boolean',
    help: 'not of the Go backend: let consumers list and watch, in the whole cluster, what konnectors cannot watch otherwise',
    default: 'false',
  },
  {
    name: 'schema-policy',
    kind: 'string',
    help: 'not of the Go backend: changed CRDs of consumers whose request says nothing: Never, as there, Safe or Always',
    default: 'Never',
  },
  {
    name: 'consumer-namespaces',
    kind: 'string',
    repeatable: true,
    help: 'not of the Go backend: comma-separated, the namespaces that consumers may have under isolation none, with * for any characters; kube-* and those of the provider never',
    default: '*',
  },
  {
    name: 'request-admission',
    kind: 'string',
    help: 'not of the Go backend: what consumers may bind: Exported, as there (every CRD labelled kube-bind.io/exported=true), or Template (what a template offers them)',
    default: 'Exported',
  },
  {
    name: 'request-namespaces',
    kind: 'string',
    repeatable: true,
    help: 'not of the Go backend: comma-separated, the only namespaces in which BindableResourcesRequests are answered',
  },
];

/**
 * Config from these flags.
 * @throws ConfigError with one line per problem
 */
export function backendFlagsToConfig(flags: ParsedFlags): ConfigInput {
  const { values } = flags;
  const given = (name: string): string => values.get(name) ?? '';
  const choices = choicesOf(flags);
  const requestNamespaces = values.has('request-namespaces') ? listOf(given('request-namespaces')) : undefined;
  const address =
    given('listen-ip') === ''
      ? (values.get('listen-address') ?? '127.0.0.1:8080')
      : `${given('listen-ip')}:${given('listen-port') === '' ? '0' : given('listen-port')}`;
  const { portal, problems: portalProblems } = portalOfFlags(values, address, requestNamespaces);
  const problems = [...problemsOf(flags, choices), ...portalProblems];
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  const { logging } = konnectorFlagsToConfig(flags);
  return {
    roles: ['provider'],
    // The portal also answers /healthz, as the Go backend does.
    serverAddress: portal === undefined ? address : '',
    ...(logging === undefined ? {} : { logging }),
    provider: {
      kubeconfig: given('kubeconfig'),
      context: given('context'),
      ...choices,
      namespacePrefix: values.get('namespace-prefix') ?? 'cluster-',
      prettyName: values.get('pretty-name') ?? 'Backend',
      external: {
        address: given('external-address'),
        caFile: given('external-ca-file'),
        serverName: given('external-server-name'),
      },
      sharedClusterScope: given('shared-cluster-scope') === 'true',
      consumerNamespaces: listOf(values.get('consumer-namespaces') ?? '*'),
      ...(requestNamespaces === undefined ? {} : { requestNamespaces }),
      ...(portal === undefined ? {} : { portal }),
    },
  };
}

type Chosen = 'informerScope' | 'isolation' | 'schemaPolicy' | 'requestAdmission';
type Choices = { readonly [Field in Chosen]: Config['provider'][Field] | undefined };

/** Undefined: the value is not one of the choices. */
function choicesOf({ values }: ParsedFlags): Choices {
  return {
    informerScope: oneOf(values.get('consumer-scope') ?? 'Namespaced', ['Namespaced', 'Cluster']),
    isolation: oneOf(values.get('isolation') ?? values.get('cluster-scoped-isolation') ?? 'Prefixed', [
      'Prefixed',
      'Namespaced',
      'None',
    ]),
    schemaPolicy: oneOf(values.get('schema-policy') ?? 'Never', ['Never', 'Safe', 'Always']),
    requestAdmission: oneOf(values.get('request-admission') ?? 'Exported', ['Exported', 'Template']),
  };
}

/** All problems, one line each. */
function problemsOf(
  { values }: ParsedFlags,
  { informerScope, isolation, schemaPolicy, requestAdmission }: Choices,
): readonly string[] {
  const given = (name: string): string => values.get(name) ?? '';
  const interval = parseDuration(values.get('schema-sync-interval') ?? '5m');
  return [
    ...(informerScope === undefined
      ? [`--consumer-scope: must be namespaced or cluster, not "${given('consumer-scope')}"`]
      : []),
    ...(isolation === undefined
      ? [
          `--isolation: must be prefixed, namespaced or none, not "${values.get('isolation') ?? given('cluster-scoped-isolation')}"`,
        ]
      : []),
    ...(schemaPolicy === undefined
      ? [`--schema-policy: must be never, safe or always, not "${given('schema-policy')}"`]
      : []),
    ...(requestAdmission === undefined
      ? [`--request-admission: must be exported or template, not "${given('request-admission')}"`]
      : []),
    ...(crdSources.has(values.get('schema-source') ?? 'customresourcedefinitions')
      ? []
      : [`--schema-source: only CRDs are exported, not "${given('schema-source')}"`]),
    ...(interval === undefined || interval < 10_000
      ? [`--schema-sync-interval: must be a duration of at least 10s, not "${given('schema-sync-interval')}"`]
      : []),
    ...(['', 'kubernetes'].includes(given('multicluster-runtime-provider'))
      ? []
      : [`--multicluster-runtime-provider: must be kubernetes, not "${given('multicluster-runtime-provider')}"`]),
  ];
}

const crdSources: ReadonlySet<string> = new Set([
  'CustomResourceDefinition.v1.apiextensions.k8s.io',
  'customresourcedefinitions',
]);

function oneOf<T extends string>(value: string, known: readonly T[]): T | undefined {
  return known.find((one) => one.toLowerCase() === value.toLowerCase());
}
