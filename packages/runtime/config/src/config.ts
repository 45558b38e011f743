import * as z from 'zod';

import { gatewaySchema } from './gateway-config.js';
import { konnectorSchema } from './konnector-config.js';
import { portalSchema } from './portal-config.js';
import { kubeconfigSchema, leaseSchema, limitsSchema } from './shared-config.js';

const address = z.string().regex(/^$|:\d{1,5}$/u, 'must be host:port or :port');

const provider = z.strictObject({
  ...kubeconfigSchema.shape,
  lease: leaseSchema.prefault({}).describe('Lease of the working process. Other processes stand by.'),
  limits: limitsSchema.prefault({}).describe('Limits of requests, except watches and the Lease.'),
  dialects: z
    .array(z.enum(['kube-bind', 'klutch']))
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'must not name one twice')
    .default(['kube-bind'])
    .describe(
      "Dialects of consumers. With `klutch` the provider installs Klutch's CRDs, and serves its requests, exports and namespaces like those of kube-bind.",
    ),
  controlPlaneMode: z
    .strictObject({
      enabled: z.boolean().default(false).describe('Serve AppClusterBindings.'),
      konnectorImage: z
        .string()
        .default('')
        .describe('Image of the deployed konnectors. Empty: each AppClusterBinding names an image.'),
    })
    .prefault({})
    .describe(
      "Klutch's mode: serve AppClusterBindings. Klutch's APIServiceBindings are then namespaced, so this cluster cannot also be an app cluster. Needs `klutch` in `provider.dialects`.",
    ),
  informerScope: z
    .enum(['Cluster', 'Namespaced'])
    .default('Namespaced')
    .describe("Scope of konnectors' watches: single namespaces, or the whole cluster."),
  isolation: z
    .enum(['None', 'Prefixed', 'Namespaced'])
    .default('Prefixed')
    .describe("Separation of consumers' copies. `None`: consumers share names."),
  consumerNamespaces: z
    .array(
      z
        .string()
        .regex(
          /^[-a-z0-9*]{1,63}$/u,
          'must be a name with lower-case letters, digits and dashes, in which * stands for any characters',
        ),
    )
    .default([])
    .describe(
      'Names of namespaces that consumers may have under isolation None; `*` matches any characters. A consumer can read everything in its namespaces, so allow only names without other use. No consumer gets `kube-*`, cluster namespaces, or names of Hawser and Klutch.',
    ),
  sharedClusterScope: z
    .boolean()
    .default(false)
    .describe(
      "Let consumers list and watch in the whole cluster if konnectors have no other way: cluster-scoped resources, and all resources under isolation Namespaced. Consumers then see each other's objects.",
    ),
  consumerLimits: z
    .strictObject({
      clusterNamespace: z
        .strictObject({
          resourceQuota: z.record(z.string(), z.unknown()).optional().describe('Spec of a ResourceQuota.'),
        })
        .optional()
        .describe('For cluster namespaces.'),
      serviceNamespace: z
        .strictObject({
          resourceQuota: z.record(z.string(), z.unknown()).optional().describe('Spec of a ResourceQuota.'),
          limitRange: z.record(z.string(), z.unknown()).optional().describe('Spec of a LimitRange.'),
        })
        .optional()
        .describe('For service namespaces.'),
    })
    .prefault({})
    .describe(
      'Specs of a ResourceQuota and a LimitRange for the namespaces of each consumer. Absent: the provider writes none, and earlier ones stay.',
    ),
  bounds: z
    .strictObject({
      exportsPerConsumer: z.int().min(0).default(200).describe('APIServiceExports.'),
      namespacesPerConsumer: z.int().min(0).default(1_000).describe('Namespaces.'),
    })
    .prefault({})
    .describe('Limits of one consumer. Existing objects stay, and count until they are deleted.'),
  requestAdmission: z
    .enum(['Exported', 'Template'])
    .default('Template')
    .describe(
      "APIs that consumers may bind. `Template`: those of APIServiceExportTemplates on which the consumer's ServiceAccount has the verb `bind`. `Exported`: every CRD with the label `kube-bind.io/exported=true`, as with the Go backend.",
    ),
  schemaPolicy: z
    .enum(['Safe', 'Always', 'Never'])
    .default('Safe')
    .describe(
      'Policy for changed CRDs if export and request have none. `Safe` holds breaking changes, `Always` passes on every change, `Never` holds all.',
    ),
  withdrawnObjects: z
    .strictObject({
      policy: z
        .enum(['Keep', 'Delete'])
        .default('Keep')
        .describe("Default of exports: `Keep` them, or `Delete` those that are proven to be this consumer's."),
      deletionsPerMinute: z
        .int()
        .min(1)
        .default(10)
        .describe('Deletions of one export. If more are due, none is deleted before the provider approves.'),
      graceSeconds: z.number().min(1).default(60).describe('Time after the end of an export before deletions begin.'),
    })
    .prefault({})
    .describe('Copies of a consumer whose export was withdrawn or deleted.'),
  namespacePrefix: z
    .string()
    .regex(
      /^[a-z0-9][-a-z0-9]{0,48}$/u,
      'must be at most 49 lower-case letters, digits and dashes, and not begin with a dash',
    )
    .default('cluster-')
    .describe(
      "Prefix of the names of consumers' namespaces: `<prefix><hash of the consumer's identity>`. At most 49 characters. Do not change it once consumers exist.",
    ),
  prettyName: z.string().min(1).default('Hawser').describe('Name of the provider for people.'),
  external: z
    .strictObject({
      address: z
        .string()
        .regex(/^$|^https:\/\/[^\s/]+/u, 'must begin with https://')
        .default('')
        .describe('`https://…`'),
      caFile: z.string().default('').describe('Path of a PEM file. The provider reads it every minute.'),
      serverName: z.string().default('').describe("Name in the server's certificate."),
    })
    .prefault({})
    .describe('Connection of consumers to the API server. Empty: the values of this process.'),
  gateway: gatewaySchema
    .optional()
    .describe(
      'Konnectors connect to a gateway instead of the API server: the role gateway, in this process or in others. Each consumer sees only its own objects, in all isolation modes and scopes, and gets no right to read outside its namespaces. `provider.external` is then the address of the gateway. Absent: none.',
    ),
  portal: portalSchema
    .optional()
    .describe(
      'Sign-in pages and HTTP API for people and terminals. Every process serves it, also on standby. Absent: none.',
    ),
  requestNamespaces: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "Namespaces in which the provider answers BindableResourcesRequests, for any consumer. Absent: all namespaces, but each consumer's kubeconfig only in the namespace of its first request.",
    ),
  credentials: z
    .strictObject({
      lifeSeconds: z
        .int()
        .min(600)
        .max(4_294_967_295)
        .default(2_592_000)
        .describe(
          'Life of expiring tokens. Only consumers get them whose cluster namespace or ClusterBinding has the annotation `hawser.dev/credential=Rotating`. The provider refreshes a token after half its life.',
        ),
      overlapSeconds: z.int().min(0).default(3_600).describe('Least time that a replaced credential stays valid.'),
    })
    .prefault({})
    .describe('Credentials of consumers.'),
});

/** One APIExport, served through one APIExportEndpointSlice (`spec/api-syncagent.md §5.1`). */
const agent = z.strictObject({
  kcpKubeconfig: z
    .string()
    .min(1)
    .describe(
      'Path of a kubeconfig. The server of its current context is the workspace of the endpoint slice: `…/clusters/<path>`. The agent reads a replaced file again.',
    ),
  endpointSlice: z.string().min(1).describe('Name of the APIExportEndpointSlice in that workspace.'),
  namespace: z.string().min(1).describe('Namespace on the service cluster for state Secrets and the Lease.'),
  agentName: z
    .string()
    .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/u, 'must be a DNS label that begins with a letter')
    .optional()
    .describe('Name on every copy, so it must never change. Default: `<endpointSlice>-syncagent`.'),
  publishedResourceSelector: z.string().default('').describe('Label selector for PublishedResources. Empty: all.'),
  disabledControllers: z
    .array(z.enum(['apiexport', 'apiresourceschema', 'sync']))
    .default([])
    .describe('Controllers that the agent does not run.'),
  adoption: z
    .enum(['Adopt', 'Overwrite', 'Refuse'])
    .default('Refuse')
    .describe(
      'Policy for an unmarked object on the service cluster in the place of a copy. `Refuse` leaves it alone, `Adopt` takes it over but keeps its content until both sides agree, `Overwrite` overwrites its content.',
    ),
  lease: leaseSchema
    .prefault({ enabled: false })
    .describe('Lease of the working process of this agent. Other processes stand by.'),
  limits: z
    .strictObject({
      service: limitsSchema.prefault({}).describe('Requests to the service cluster.'),
      kcp: limitsSchema.prefault({}).describe('Requests to kcp.'),
    })
    .prefault({})
    .describe('Limits of requests, except watches and the Lease.'),
});

const syncagent = z.strictObject({
  ...kubeconfigSchema.shape,
  hostOverride: z.string().default('').describe("Replaces the server of the service cluster's kubeconfig."),
  caFileOverride: z.string().default('').describe("Path; replaces the CA of the service cluster's kubeconfig."),
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .default(24)
    .describe('Objects of one PublishedResource that the agent reconciles at the same time.'),
  agents: z.array(agent).default([]).describe('One for each APIExport. The role needs at least one.'),
});

/** All settings; a config file has this shape (YAML or JSON). Flags override it. */
export const configSchema = z
  .strictObject({
    roles: z
      .array(z.enum(['konnector', 'provider', 'gateway', 'syncagent']))
      .min(1)
      .default(['konnector'])
      .describe('Roles of the process.'),
    serverAddress: address
      .default(':8090')
      .describe('`host:port` or `:port` that serves /healthz, /readyz and /metrics. Empty: none.'),
    metricsAddress: address.default('').describe('A separate address that serves only /metrics.'),
    healthAddress: address.default('').describe('A separate address that serves everything except /metrics.'),
    profiling: z
      .boolean()
      .default(false)
      .describe(
        'Serve /debug/profile and /debug/heap beside /metrics: profiles of the process (`?seconds=30`) without values.',
      ),
    logging: z
      .strictObject({
        level: z.enum(['error', 'warn', 'info', 'debug']).default('info').describe('Least severity that is logged.'),
        format: z.enum(['text', 'json']).default('text').describe('Each entry is a line of text, or a JSON object.'),
      })
      .prefault({})
      .describe('Log lines on standard error.'),
    konnector: konnectorSchema.prefault({}).describe('The role konnector.'),
    provider: provider.prefault({}).describe('The roles provider and gateway.'),
    syncagent: syncagent.prefault({}).describe('The role syncagent.'),
  })
  .refine(({ roles, syncagent: { agents } }) => !roles.includes('syncagent') || agents.length > 0, {
    message: 'the role syncagent needs at least one',
    path: ['syncagent', 'agents'],
  })
  .refine(({ roles, provider: { gateway } }) => !roles.includes('gateway') || gateway?.tls !== undefined, {
    message: 'the role gateway needs provider.gateway.tls',
    path: ['provider', 'gateway'],
  })
  .refine(({ konnector: { controlPlaneMode, dialect } }) => controlPlaneMode === undefined || dialect === 'klutch', {
    message: 'needs the dialect klutch',
    path: ['konnector', 'controlPlaneMode'],
  })
  .refine(
    ({ konnector: { shards, controlPlaneMode, lease } }) =>
      shards === 1 || (controlPlaneMode === undefined && lease.enabled),
    {
      message: 'more than 1 needs a lease, and is not for control plane mode',
      path: ['konnector', 'shards'],
    },
  )
  .refine(
    ({ konnector: { shards, lease } }) => shards === 1 || 2.4 * lease.retryPeriodSeconds < lease.renewDeadlineSeconds,
    {
      message: 'more than 1 needs a lease.renewDeadlineSeconds of more than 2.4 times lease.retryPeriodSeconds',
      path: ['konnector', 'shards'],
    },
  )
  .refine(({ konnector: { coreKbind } }) => !coreKbind.alone || coreKbind.enabled, {
    message: 'needs konnector.coreKbind.enabled',
    path: ['konnector', 'coreKbind', 'alone'],
  })
  .refine(({ provider: { controlPlaneMode, dialects } }) => !controlPlaneMode.enabled || dialects.includes('klutch'), {
    message: 'needs klutch in provider.dialects',
    path: ['provider', 'controlPlaneMode', 'enabled'],
  })
  .refine(
    ({ provider: { portal, requestNamespaces } }) =>
      portal === undefined || requestNamespaces?.includes(portal.namespace) !== false,
    {
      message: 'must be one of provider.requestNamespaces: requests for consumers are answered there',
      path: ['provider', 'portal', 'namespace'],
    },
  )
  .refine(({ provider: { portal, dialects } }) => portal === undefined || dialects.includes('kube-bind'), {
    message: 'needs kube-bind in provider.dialects: people of Klutch are served besides',
    path: ['provider', 'portal'],
  });

export type Config = z.output<typeof configSchema>;
/** Request rate limits for one cluster. */
export type Limits = z.output<typeof limitsSchema>;
export type Role = Config['roles'][number];

/** A problem in a flag, an environment variable or the config file: one line that names the field. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'InvalidConfig';
}

/** @throws ConfigError naming the first field that is wrong. */
export function parseConfig(input: unknown, source: string): Config {
  const result = configSchema.safeParse(input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path.map(String).join('.') ?? '';
  throw new ConfigError(`${source}: ${path === '' ? '' : `${path}: `}${issue?.message ?? 'is not valid'}`);
}
