import * as z from 'zod';

const address = z.string().regex(/^$|:\d{1,5}$/u, 'must be host:port or :port');

const kubeconfig = z.strictObject({
  /** Path. Empty: `KUBECONFIG`, the home file, or the cluster that the process runs in. */
  kubeconfig: z.string().default(''),
  /** Context of that kubeconfig. Empty: its current one. */
  context: z.string().default(''),
});

const lease = z.strictObject({
  /** Off only where no other process may run beside this one. */
  enabled: z.boolean().default(true),
  /** Absent: for the konnector `kube-bind`, in the dialect klutch `klutch-bind`, so that it and a Go konnector exclude each other; for the provider `hawser-provider`; for an agent `syncagent.<agentName>`. */
  name: z.string().min(1).optional(),
  /** Empty: `POD_NAMESPACE`, else `kube-system`; for an agent its own namespace. */
  namespace: z.string().default(''),
  /** Empty: `POD_NAME`, else a random number; for an agent `POD_UID`, else `POD_NAME` with a random number. */
  identity: z.string().default(''),
  /** How long others wait after the last renewal that they saw. */
  durationSeconds: z.int().min(1).default(15),
  /** How long this process works after the last renewal that it sent. */
  renewDeadlineSeconds: z.number().positive().default(10),
  /** Time between two tries. */
  retryPeriodSeconds: z.number().positive().default(2),
}).refine(({ durationSeconds, renewDeadlineSeconds, retryPeriodSeconds }) => retryPeriodSeconds * 1.2 < renewDeadlineSeconds && renewDeadlineSeconds < durationSeconds, {
  message: 'retryPeriodSeconds, with a fifth added, must be below renewDeadlineSeconds, and that below durationSeconds',
});

/** How fast requests may go to one cluster, watches and the Lease apart. The servers' own limits are honoured anyway. */
const limits = z.strictObject({
  /** Requests per second on average. Absent: no limit but the server's own. */
  qps: z.number().positive().optional(),
  /** Requests that may go at once before `qps` counts. Absent: as `qps`. */
  burst: z.int().min(1).optional(),
}).refine(({ qps, burst }) => burst === undefined || qps !== undefined, { message: 'burst counts only together with qps', path: ['burst'] });

const konnector = z.strictObject({
  ...kubeconfig.shape,
  /** In which words consumer and providers speak: `kube-bind`, or `klutch`, the fork with the group klutch.anynines.com, its Lease, finalizer and marks. */
  dialect: z.enum(['kube-bind', 'klutch']).default('kube-bind'),
  /** Klutch's: the konnector runs beside the provider, and serves one app cluster from there. Needs the dialect klutch. Absent: it runs in its consumer. */
  controlPlaneMode: z
    .strictObject({
      /** Of the app cluster, on the control plane. */
      kubeconfigSecret: z.strictObject({
        /** Of the Secret. */
        namespace: z.string().min(1),
        /** Of the Secret. */
        name: z.string().min(1),
        /** In its data. */
        key: z.string().min(1).default('kubeconfig'),
      }),
      /** With the APIServiceBindings, and all else of this app cluster. */
      rootNamespace: z.string().min(1),
    })
    .optional(),
  /** Whether objects that were made on the provider, in a namespace of this consumer, come to the consumer. Absent: only in the dialect klutch, where konnectors have always done that. */
  adoptFromProvider: z.boolean().optional(),
  /** Of several konnectors the one that holds this Lease works. */
  lease: lease.prefault({}),
  /** Objects of one resource that are written at the same time; a third of it while those of others change too. */
  concurrency: z.int().min(1).max(256).default(24),
  /** How fast requests may go, watches and the Lease apart. The servers' own limits are honoured anyway. */
  limits: z.strictObject({
    /** To the consumer. */
    consumer: limits.prefault({}),
    /** To providers, for each connection of its own. */
    provider: limits.prefault({}),
  }).prefault({}),
  /** Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names. Needs the right to list Secrets in all namespaces. */
  labelledSecrets: z.boolean().default(true),
  /** What a kubeconfig from a Secret may contain beyond the safe minimum. */
  secretKubeconfigs: z
    .strictObject({
      /** A server whose certificate is not verified. */
      allowInsecureSkipTlsVerify: z.boolean().default(false),
      /** A proxy. */
      allowProxyUrl: z.boolean().default(false),
    })
    .prefault({}),
  /** API groups in which providers may install CRDs: `example.com`, `*.example.com`, or `*`, all but those of Kubernetes and kcp, which have to be named. */
  allowedGroups: z.array(z.string().regex(/^(\*|(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/u, 'must be a group, *.domain or *')).default(['*']),
  /** Whether their CRDs may have conversion webhooks: the consumer's API server sends objects there. */
  allowConversionWebhooks: z.boolean().default(false),
  /**
   * What becomes of changed schemas where a binding does not say (annotation `hawser.dev/schema-update`): `Safe` holds what may break something until it is approved, `Always` installs
   * them, as the Go konnector does, `Never` holds all.
   */
  schemaUpdate: z.enum(['Safe', 'Always', 'Never']).default('Safe'),
  /** Whether objects are stored anew when the storage version of a bound API moves. Needs the right to patch `customresourcedefinitions/status`. */
  migrateStoredVersions: z.boolean().default(false),
  /** What a provider may have come to the consumer. What is there already stays. */
  bounds: z
    .strictObject({
      /** Objects that come by the permission claims of one binding. */
      claimedObjectsPerBinding: z.int().min(0).default(1_000),
      /** Namespaces that are made for one provider. */
      namespacesPerProvider: z.int().min(0).default(100),
    })
    .prefault({}),
  /** Copies whose consumer object is missing. */
  orphans: z
    .strictObject({
      /** `Keep` them, or `Delete` them once it is proven that the object is gone. */
      policy: z.enum(['Keep', 'Delete']).default('Keep'),
      /** Of one binding. Where more would go, none is deleted until the operator approves it. */
      deletionsPerMinute: z.int().min(1).default(10),
      /** How long a copy must have been without its object. */
      graceSeconds: z.number().min(1).default(60),
    })
    .prefault({}),
  /** How often the same field of a copy is put back within a minute before it counts as contested, and is left alone for a while. */
  contestedAfter: z.int().min(2).max(60).default(5),
  /** What the konnector reports as its interval. It writes a heartbeat after less than half of it. */
  heartbeatIntervalSeconds: z.int().min(2).max(3_600).default(300),
  /** How often exports are listed for bundles where the provider does not let them be watched. */
  providerPollingIntervalSeconds: z.number().positive().default(15),
});

const provider = z.strictObject({
  ...kubeconfig.shape,
  /** Of several processes the one that holds this Lease works. */
  lease: lease.prefault({}),
  /** How fast requests may go, watches and the Lease apart. */
  limits: limits.prefault({}),
  /** What consumers may speak. `klutch`: its CRDs are installed, and its requests, exports and namespaces are served as those of kube-bind are. */
  dialects: z.array(z.enum(['kube-bind', 'klutch'])).min(1).refine((names) => new Set(names).size === names.length, 'must not name one twice').default(['kube-bind']),
  /** Klutch's: AppClusterBindings are served. APIServiceBindings of Klutch are namespaced then, so this cannot be an app cluster as well. Needs klutch in `provider.dialects`. */
  controlPlaneMode: z
    .strictObject({
      /** Whether AppClusterBindings are served. */
      enabled: z.boolean().default(false),
      /** Of the konnectors that are deployed. Empty: each AppClusterBinding names its own. */
      konnectorImage: z.string().default(''),
    })
    .prefault({}),
  /** How konnectors may watch: single namespaces, or the whole cluster. */
  informerScope: z.enum(['Cluster', 'Namespaced']).default('Namespaced'),
  /** How copies of consumers are kept apart. `None`: consumers share names. */
  isolation: z.enum(['None', 'Prefixed', 'Namespaced']).default('Prefixed'),
  /**
   * Names of namespaces that consumers may have under isolation None; `*` stands for any characters. The consumer can read what is put into such a namespace, so allow only what nothing else
   * uses. No consumer gets `kube-*`, cluster namespaces, or names of Hawser and Klutch.
   */
  consumerNamespaces: z.array(z.string().regex(/^[-a-z0-9*]{1,63}$/u, 'must be a name with lower-case letters, digits and dashes, in which * stands for any characters')).default([]),
  /** Whether consumers may list and watch, in the whole cluster, resources that konnectors cannot watch otherwise: cluster-scoped ones, and all under isolation Namespaced. They see each other's objects then. */
  sharedClusterScope: z.boolean().default(false),
  /** Specs of a ResourceQuota and a LimitRange for the namespaces of each consumer. Absent: no limits are written, and those that were stay. */
  consumerLimits: z
    .strictObject({
      /** For cluster namespaces. */
      clusterNamespace: z.strictObject({
        /** Spec of a ResourceQuota. */
        resourceQuota: z.record(z.string(), z.unknown()).optional(),
      }).optional(),
      /** For service namespaces. */
      serviceNamespace: z.strictObject({
        /** Spec of a ResourceQuota. */
        resourceQuota: z.record(z.string(), z.unknown()).optional(),
        /** Spec of a LimitRange. */
        limitRange: z.record(z.string(), z.unknown()).optional(),
      }).optional(),
    })
    .prefault({}),
  /** What is made for one consumer. What it has stays, and counts until it is deleted. */
  bounds: z
    .strictObject({
      /** APIServiceExports. */
      exportsPerConsumer: z.int().min(0).default(200),
      /** Namespaces. */
      namespacesPerConsumer: z.int().min(0).default(1_000),
    })
    .prefault({}),
  /**
   * What consumers may bind. `Template`: what an APIServiceExportTemplate covers on which the consumer's ServiceAccount has the verb `bind`. `Exported`: every CRD
   * with the label `kube-bind.io/exported=true`, as with the Go backend.
   */
  requestAdmission: z.enum(['Exported', 'Template']).default('Template'),
  /**
   * What becomes of a changed CRD at consumers whose export and request say nothing. `Safe`: what breaks something is held. `Always`: it flows, whatever it
   * breaks. `Never`: everything is held.
   */
  schemaPolicy: z.enum(['Safe', 'Always', 'Never']).default('Safe'),
  /** Copies of a consumer whose export has ended: withdrawn, or deleted. */
  withdrawnObjects: z
    .strictObject({
      /** Where the export does not say it: `Keep` them, or `Delete` those that are proven to be this consumer's. */
      policy: z.enum(['Keep', 'Delete']).default('Keep'),
      /** Of one export. Where more would go, none is deleted until the provider approves it. */
      deletionsPerMinute: z.int().min(1).default(10),
      /** How long an export must have ended. */
      graceSeconds: z.number().min(1).default(60),
    })
    .prefault({}),
  /** Of the names of consumers' namespaces: `<prefix><hash of the consumer's identity>`. At most 49 characters. It must not change once there are consumers. */
  namespacePrefix: z.string().regex(/^[a-z0-9][-a-z0-9]{0,48}$/u, 'must be at most 49 lower-case letters, digits and dashes, and not begin with a dash').default('cluster-'),
  /** Name of the provider for people. */
  prettyName: z.string().min(1).default('Hawser'),
  /** How consumers reach the API server; what is empty is as this process has it. */
  external: z
    .strictObject({
      /** `https://…` */
      address: z.string().regex(/^$|^https:\/\/[^\s/]+/u, 'must begin with https://').default(''),
      /** Path of a PEM file, which is read again each minute. */
      caFile: z.string().default(''),
      /** Name in the server's certificate. */
      serverName: z.string().default(''),
    })
    .prefault({}),
  /** The only namespaces in which BindableResourcesRequests are answered, for any consumer. Absent: all, but each consumer's kubeconfig only where it was first asked for. */
  requestNamespaces: z.array(z.string().min(1)).optional(),
  /** Of consumers. */
  credentials: z
    .strictObject({
      /** Life of tokens that expire, which only consumers get whose cluster namespace or ClusterBinding has the annotation `hawser.dev/credential=Rotating`. A token is refreshed at half of it. */
      lifeSeconds: z.int().min(600).max(4_294_967_295).default(2_592_000),
      /** How long a credential that was replaced stays valid at least. */
      overlapSeconds: z.int().min(0).default(3_600),
    })
    .prefault({}),
});

/** One APIExport, served through one APIExportEndpointSlice (`spec/api-syncagent.md §5.1`). */
const agent = z.strictObject({
  /** Path. The server of its current context is the workspace of the endpoint slice: `…/clusters/<path>`. The agent follows the file as it is replaced. */
  kcpKubeconfig: z.string().min(1),
  /** Name of the APIExportEndpointSlice in that workspace. */
  endpointSlice: z.string().min(1),
  /** On the service cluster: where state Secrets and the Lease stand. */
  namespace: z.string().min(1),
  /** Stands on every copy, so it must never change. Default: `<endpointSlice>-syncagent`. */
  agentName: z.string().regex(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/u, 'must be a DNS label that begins with a letter').optional(),
  /** Of labels of PublishedResources. Empty: all. */
  publishedResourceSelector: z.string().default(''),
  /** Controllers that do not run. */
  disabledControllers: z.array(z.enum(['apiexport', 'apiresourceschema', 'sync'])).default([]),
  /** What becomes of an unmarked object on the service cluster that has the name of a copy: `Refuse` leaves it alone, `Adopt` takes it over but not its content before both sides agree, `Overwrite` takes all of it over. */
  adoption: z.enum(['Adopt', 'Overwrite', 'Refuse']).default('Refuse'),
  /** Of several processes with this agent the one that holds this Lease works. */
  lease: lease.prefault({ enabled: false }),
  /** How fast requests may go, watches and the Lease apart. */
  limits: z.strictObject({
    /** To the service cluster. */
    service: limits.prefault({}),
    /** To kcp. */
    kcp: limits.prefault({}),
  }).prefault({}),
});

const syncagent = z.strictObject({
  ...kubeconfig.shape,
  /** Replaces the server of the service cluster's kubeconfig. */
  hostOverride: z.string().default(''),
  /** Path; replaces the CA of the service cluster's kubeconfig. */
  caFileOverride: z.string().default(''),
  /** Objects of one PublishedResource that are worked on at the same time. */
  concurrency: z.int().min(1).max(256).default(24),
  /** One for each APIExport. The role needs at least one. */
  agents: z.array(agent).default([]),
});

/** Everything that can be set; a config file has this shape (YAML or JSON). Flags win over it. */
export const configSchema = z.strictObject({
  /** What the process does. */
  roles: z.array(z.enum(['konnector', 'provider', 'syncagent'])).min(1).default(['konnector']),
  /** `host:port` or `:port` of /healthz, /readyz and /metrics; empty: none. */
  serverAddress: address.default(':8090'),
  /** A server of /metrics alone. */
  metricsAddress: address.default(''),
  /** A server of all but /metrics. */
  healthAddress: address.default(''),
  /** Whether /debug/profile and /debug/heap, beside /metrics, take profiles of the process (`?seconds=30`). They hold no values. */
  profiling: z.boolean().default(false),
  /** What is written to standard error. */
  logging: z
    .strictObject({
      /** The least severe lines that are logged. */
      level: z.enum(['error', 'warn', 'info', 'debug']).default('info'),
      /** One line of text, or one JSON object, for each entry. */
      format: z.enum(['text', 'json']).default('text'),
    })
    .prefault({}),
  /** The role konnector. */
  konnector: konnector.prefault({}),
  /** The role provider. */
  provider: provider.prefault({}),
  /** The role syncagent. */
  syncagent: syncagent.prefault({}),
}).refine(({ roles, syncagent: { agents } }) => !roles.includes('syncagent') || agents.length > 0, { message: 'the role syncagent needs at least one', path: ['syncagent', 'agents'] })
  .refine(({ konnector: { controlPlaneMode, dialect } }) => controlPlaneMode === undefined || dialect === 'klutch', { message: 'needs the dialect klutch', path: ['konnector', 'controlPlaneMode'] })
  .refine(({ provider: { controlPlaneMode, dialects } }) => !controlPlaneMode.enabled || dialects.includes('klutch'), { message: 'needs klutch in provider.dialects', path: ['provider', 'controlPlaneMode', 'enabled'] });

export type Config = z.output<typeof configSchema>;
/** How fast requests may go to one cluster. */
export type Limits = z.output<typeof limits>;
export type Role = Config['roles'][number];

/** What is wrong with a flag, an environment variable or the config file: one line that names the field. Exit code 2. */
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
