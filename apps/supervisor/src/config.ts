import { z } from 'zod';

const kubeconfig = z.strictObject({
  /** Path; empty: KUBECONFIG, the home file, or the cluster that the process runs in. */
  kubeconfig: z.string().default(''),
  context: z.string().default(''),
});

const lease = z.strictObject({
  /** Off only where nothing else may run beside this process. */
  enabled: z.boolean().default(true),
  /** The konnector's is `kube-bind`, so that it and a Go konnector exclude each other. */
  name: z.string().min(1).optional(),
  /** Empty: POD_NAMESPACE, else `kube-system`. */
  namespace: z.string().default(''),
  /** Empty: POD_NAME, else a random number. */
  identity: z.string().default(''),
});

const konnector = z.strictObject({
  ...kubeconfig.shape,
  lease: lease.prefault({}),
  /** Objects of one resource that are written at the same time. */
  concurrency: z.int().min(1).max(256).default(24),
  /** What a kubeconfig from a Secret may contain beyond the safe minimum. */
  secretKubeconfigs: z
    .strictObject({ allowInsecureSkipTlsVerify: z.boolean().default(false), allowProxyUrl: z.boolean().default(false) })
    .prefault({}),
  heartbeatIntervalSeconds: z.int().min(2).max(3_600).default(300),
  /** Accepted for the Go konnector's sake; bundles are watched, not polled. */
  providerPollingIntervalSeconds: z.number().positive().default(15),
});

const provider = z.strictObject({
  ...kubeconfig.shape,
  lease: lease.prefault({}),
  informerScope: z.enum(['Cluster', 'Namespaced']).default('Namespaced'),
  isolation: z.enum(['None', 'Prefixed', 'Namespaced']).default('Prefixed'),
});

/** Everything that can be set; a config file has this shape (YAML or JSON). Flags win over it. */
export const configSchema = z.strictObject({
  roles: z.array(z.enum(['konnector', 'provider'])).min(1).default(['konnector']),
  /** `host:port` or `:port` of /healthz, /readyz and /metrics; empty: none. */
  serverAddress: z.string().regex(/^$|:\d{1,5}$/u, 'must be host:port or :port').default(':8090'),
  logging: z
    .strictObject({ level: z.enum(['error', 'warn', 'info', 'debug']).default('info'), format: z.enum(['text', 'json']).default('text') })
    .prefault({}),
  konnector: konnector.prefault({}),
  provider: provider.prefault({}),
});

export type Config = z.output<typeof configSchema>;
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
