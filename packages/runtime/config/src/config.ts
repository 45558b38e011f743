import * as z from 'zod';

import { gatewaySchema } from './gateway-config.js';
import { konnectorSchema } from './konnector-config.js';
import { portalSchema } from './portal-config.js';
import { kubeconfigSchema, leaseSchema, limitsSchema } from './shared-config.js';

const address = z.string().regex(/^$|:\d{1,5}$/u, 'must be host:port or :port');

const provider = z.strictObject({
  ...kubeconfigSchema.shape,
  lease: leaseSchema.prefault({}).describe('Of several processes the one that holds this Lease works.'),
  limits: limitsSchema.prefault({}).describe('How fast requests may go, watches and the Lease apart.'),
  dialects: z
    .array(z.enum(['kube-bind', 'klutch']))
    .min(1)
    .refine((names) => new Set(names).size === names.length, 'must not name one twice')
    .default(['kube-bind'])
    .describe(
      'What consumers may speak. `klutch`: its CRDs are installed, and its requests, exports and namespaces are served as those of kube-bind are.',
    ),
  controlPlaneMode: z
    .strictObject({
      enabled: z.boolean().default(false).describe('Whether AppClusterBindings are served.'),
      konnectorImage: z
        .string()
        .default('')
        .describe('Of the konnectors that are deployed. Empty: each AppClusterBinding names its own.'),
    })
    .prefault({})
    .describe(
      "Klutch's: AppClusterBindings are served. APIServiceBindings of Klutch are namespaced then, so this cannot be an app cluster as well. Needs klutch in `provider.dialects`.",
    ),
  informerScope: z
    .enum(['Cluster', 'Namespaced'])
    .default('Namespaced')
    .describe('How konnectors may watch: single namespaces, or the whole cluster.'),
  isolation: z
    .enum(['None', 'Prefixed', 'Namespaced'])
    .default('Prefixed')
    .describe('How copies of consumers are kept apart. `None`: consumers share names.'),
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
      'Names of namespaces that consumers may have under isolation None; `*` stands for any characters. The consumer can read what is put into such a namespace, so allow only what nothing else uses. No consumer gets `kube-*`, cluster namespaces, or names of Hawser and Klutch.',
    ),
  sharedClusterScope: z
    .boolean()
    .default(false)
    .describe(
      "Whether consumers may list and watch, in the whole cluster, resources that konnectors cannot watch otherwise: cluster-scoped ones, and all under isolation Namespaced. They see each other's objects then.",
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
      'Specs of a ResourceQuota and a LimitRange for the namespaces of each consumer. Absent: no limits are written, and those that were stay.',
    ),
  bounds: z
    .strictObject({
      exportsPerConsumer: z.int().min(0).default(200).describe('APIServiceExports.'),
      namespacesPerConsumer: z.int().min(0).default(1_000).describe('Namespaces.'),
    })
    .prefault({})
    .describe('What is made for one consumer. What it has stays, and counts until it is deleted.'),
  requestAdmission: z
    .enum(['Exported', 'Template'])
    .default('Template')
    .describe(
      "What consumers may bind. `Template`: what an APIServiceExportTemplate covers on which the consumer's ServiceAccount has the verb `bind`. `Exported`: every CRD with the label `kube-bind.io/exported=true`, as with the Go backend.",
    ),
  schemaPolicy: z
    .enum(['Safe', 'Always', 'Never'])
    .default('Safe')
    .describe(
      'What becomes of a changed CRD at consumers whose export and request say nothing. `Safe`: what breaks something is held. `Always`: it flows, whatever it breaks. `Never`: everything is held.',
    ),
  withdrawnObjects: z
    .strictObject({
      policy: z
        .enum(['Keep', 'Delete'])
        .default('Keep')
        .describe(
          "Where the export does not say it: `Keep` them, or `Delete` those that are proven to be this consumer's.",
        ),
      deletionsPerMinute: z
        .int()
        .min(1)
        .default(10)
        .describe('Of one export. Where more would go, none is deleted until the provider approves it.'),
      graceSeconds: z.number().min(1).default(60).describe('How long an export must have ended.'),
    })
    .prefault({})
    .describe('Copies of a consumer whose export has ended: withdrawn, or deleted.'),
  namespacePrefix: z
    .string()
    .regex(
      /^[a-z0-9][-a-z0-9]{0,48}$/u,
      'must be at most 49 lower-case letters, digits and dashes, and not begin with a dash',
    )
    .default('cluster-')
    .describe(
      "Of the names of consumers' namespaces: `<prefix><hash of the consumer's identity>`. At most 49 characters. It must not change once there are consumers.",
    ),
  prettyName: z.string().min(1).default('Hawser').describe('Name of the provider for people.'),
  external: z
    .strictObject({
      address: z
        .string()
        .regex(/^$|^https:\/\/[^\s/]+/u, 'must begin with https://')
        .default('')
        .describe('`https://…`'),
      caFile: z.string().default('').describe('Path of a PEM file, which is read again each minute.'),
      serverName: z.string().default('').describe("Name in the server's certificate."),
    })
    .prefault({})
    .describe('How consumers reach the API server; what is empty is as this process has it.'),
  gateway: gatewaySchema
    .optional()
    .describe(
      'Konnectors speak to a gateway instead of the API server: the role gateway, in this process or in others. Each consumer sees its own objects alone, in all isolation modes and scopes, and is given no reading right outside of its namespaces. `provider.external` is then the address of the gateway. Absent: none.',
    ),
  portal: portalSchema
    .optional()
    .describe(
      'The way in for people and terminals: sign-in and HTTP API. Absent: none. Every process serves it, the leader and those that stand by.',
    ),
  requestNamespaces: z
    .array(z.string().min(1))
    .optional()
    .describe(
      "The only namespaces in which BindableResourcesRequests are answered, for any consumer. Absent: all, but each consumer's kubeconfig only where it was first asked for.",
    ),
  credentials: z
    .strictObject({
      lifeSeconds: z
        .int()
        .min(600)
        .max(4_294_967_295)
        .default(2_592_000)
        .describe(
          'Life of tokens that expire, which only consumers get whose cluster namespace or ClusterBinding has the annotation `hawser.dev/credential=Rotating`. A token is refreshed at half of it.',
        ),
      overlapSeconds: z
        .int()
        .min(0)
        .default(3_600)
        .describe('How long a credential that was replaced stays valid at least.'),
    })
    .prefault({})
    .describe('Of consumers.'),
});

/** One APIExport, served through one APIExportEndpointSlice (`spec/api-syncagent.md §5.1`). */
const agent = z.strictObject({
  kcpKubeconfig: z
    .string()
    .min(1)
    .describe(
      'Path. The server of its current context is the workspace of the endpoint slice: `…/clusters/<path>`. The agent follows the file as it is replaced.',
    ),
  endpointSlice: z.string().min(1).describe('Name of the APIExportEndpointSlice in that workspace.'),
  namespace: z.string().min(1).describe('On the service cluster: where state Secrets and the Lease stand.'),
  agentName: z
    .string()
    .regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/u, 'must be a DNS label that begins with a letter')
    .optional()
    .describe('Stands on every copy, so it must never change. Default: `<endpointSlice>-syncagent`.'),
  publishedResourceSelector: z.string().default('').describe('Of labels of PublishedResources. Empty: all.'),
  disabledControllers: z
    .array(z.enum(['apiexport', 'apiresourceschema', 'sync']))
    .default([])
    .describe('Controllers that do not run.'),
  adoption: z
    .enum(['Adopt', 'Overwrite', 'Refuse'])
    .default('Refuse')
    .describe(
      'What becomes of an unmarked object on the service cluster that has the name of a copy: `Refuse` leaves it alone, `Adopt` takes it over but not its content before both sides agree, `Overwrite` takes all of it over.',
    ),
  lease: leaseSchema
    .prefault({ enabled: false })
    .describe('Of several processes with this agent the one that holds this Lease works.'),
  limits: z
    .strictObject({
      service: limitsSchema.prefault({}).describe('To the service cluster.'),
      kcp: limitsSchema.prefault({}).describe('To kcp.'),
    })
    .prefault({})
    .describe('How fast requests may go, watches and the Lease apart.'),
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
    .describe('Objects of one PublishedResource that are worked on at the same time.'),
  agents: z.array(agent).default([]).describe('One for each APIExport. The role needs at least one.'),
});

/** All settings; a config file has this shape (YAML or JSON). Flags override it. */
export const configSchema = z
  .strictObject({
    roles: z
      .array(z.enum(['konnector', 'provider', 'gateway', 'syncagent']))
      .min(1)
      .default(['konnector'])
      .describe('What the process does.'),
    serverAddress: address
      .default(':8090')
      .describe('`host:port` or `:port` of /healthz, /readyz and /metrics; empty: none.'),
    metricsAddress: address.default('').describe('A server of /metrics alone.'),
    healthAddress: address.default('').describe('A server of all but /metrics.'),
    profiling: z
      .boolean()
      .default(false)
      .describe(
        'Whether /debug/profile and /debug/heap, beside /metrics, take profiles of the process (`?seconds=30`). They hold no values.',
      ),
    logging: z
      .strictObject({
        level: z
          .enum(['error', 'warn', 'info', 'debug'])
          .default('info')
          .describe('The least severe lines that are logged.'),
        format: z
          .enum(['text', 'json'])
          .default('text')
          .describe('One line of text, or one JSON object, for each entry.'),
      })
      .prefault({})
      .describe('What is written to standard error.'),
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
