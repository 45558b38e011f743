import * as z from 'zod';

import { kubeconfigSchema, leaseSchema, limitsSchema } from './shared-config.js';

/** `konnector` of the config file. */
export const konnectorSchema = z.strictObject({
  ...kubeconfigSchema.shape,
  dialect: z
    .enum(['kube-bind', 'klutch'])
    .default('kube-bind')
    .describe(
      'API groups, Lease, finalizer and marks in use: `kube-bind`, or its fork `klutch` (klutch.anynines.com).',
    ),
  controlPlaneMode: z
    .strictObject({
      kubeconfigSecret: z
        .strictObject({
          namespace: z.string().min(1).describe('Of the Secret.'),
          name: z.string().min(1).describe('Of the Secret.'),
          key: z.string().min(1).default('kubeconfig').describe('Key in the data of the Secret.'),
        })
        .describe('Secret on the control plane with the kubeconfig of the app cluster.'),
      rootNamespace: z
        .string()
        .min(1)
        .describe('Namespace with the APIServiceBindings and all other objects of this app cluster.'),
    })
    .optional()
    .describe(
      "Klutch's mode: the konnector runs beside the provider and serves one app cluster. Needs the dialect `klutch`. Absent: the konnector runs in its consumer.",
    ),
  coreKbind: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('Serve Connections, ClusterBindings and Bindings, and install their CRDs at the start.'),
      secretNamespaces: z
        .array(z.string().min(1))
        .min(1)
        .default(['kbind'])
        .describe('Namespaces that may hold the kubeconfig Secrets of Connections. `*`: all.'),
      alone: z
        .boolean()
        .default(false)
        .describe('Serve only `core.kbind.io`, and install no CRDs of `dialect`. Needs `enabled`.'),
    })
    .prefault({})
    .describe('The second generation of kube-bind, `core.kbind.io`, beside `dialect`. Not in control plane mode.'),
  adoptFromProvider: z
    .boolean()
    .optional()
    .describe(
      'Copy objects that were created on the provider, in a namespace of this consumer, to the consumer. Absent: only in the dialect `klutch`, as its konnectors do.',
    ),
  lease: leaseSchema.prefault({}).describe('Lease of the working konnector. Other konnectors stand by.'),
  shards: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      'Number of konnectors that share the work. With 1, one works and the others stand by. With more, each serves a share of the provider connections. Set 1 on all konnectors of a consumer, or more than 1 on all; a number above 1 may change at any time. Not in control plane mode.',
    ),
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .default(24)
    .describe(
      'Objects of one resource that are written at the same time; a third of that while other resources change too.',
    ),
  limits: z
    .strictObject({
      consumer: limitsSchema.prefault({}).describe('Requests to the consumer.'),
      provider: limitsSchema.prefault({}).describe('Requests to providers, for each connection.'),
    })
    .prefault({})
    .describe('Limits of requests, except watches and the Lease. Limits of the servers always apply.'),
  labelledSecrets: z
    .boolean()
    .default(true)
    .describe(
      'Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names. Needs the right to list Secrets in all namespaces.',
    ),
  secretKubeconfigs: z
    .strictObject({
      allowInsecureSkipTlsVerify: z
        .boolean()
        .default(false)
        .describe('Allow servers without certificate verification.'),
      allowProxyUrl: z.boolean().default(false).describe('Allow a proxy.'),
    })
    .prefault({})
    .describe('Permissions for kubeconfigs from Secrets, beyond the safe minimum.'),
  allowedGroups: z
    .array(z.string().regex(/^(\*|(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/u, 'must be a group, *.domain or *'))
    .default(['*'])
    .describe(
      'API groups in which providers may install CRDs: `example.com`, `*.example.com`, or `*`. `*` excludes the groups of Kubernetes and kcp: name those.',
    ),
  allowConversionWebhooks: z
    .boolean()
    .default(false)
    .describe("Allow CRDs of providers with conversion webhooks. The consumer's API server sends objects to them."),
  schemaUpdate: z
    .enum(['Safe', 'Always', 'Never'])
    .default('Safe')
    .describe(
      'Policy for changed schemas if a binding has none (annotation `hawser.dev/schema-update`). `Safe` holds breaking changes until approval, `Always` installs all, as the Go konnector does, `Never` holds all.',
    ),
  migrateStoredVersions: z
    .boolean()
    .default(false)
    .describe(
      'Rewrite stored objects when the storage version of a bound API changes. Needs the right to patch `customresourcedefinitions/status`.',
    ),
  bounds: z
    .strictObject({
      claimedObjectsPerBinding: z
        .int()
        .min(0)
        .default(1_000)
        .describe('Objects by the permission claims of one binding.'),
      namespacesPerProvider: z.int().min(0).default(100).describe('Namespaces for one provider.'),
    })
    .prefault({})
    .describe('Limits of the objects that a provider may bring to the consumer. Existing objects stay.'),
  orphans: z
    .strictObject({
      policy: z
        .enum(['Keep', 'Delete'])
        .default('Keep')
        .describe('`Keep` them, or `Delete` them after proof that the object is gone.'),
      deletionsPerMinute: z
        .int()
        .min(1)
        .default(10)
        .describe(
          'Deletions of one binding. If more are due, the konnector deletes none before the operator approves.',
        ),
      graceSeconds: z
        .number()
        .min(1)
        .default(60)
        .describe('Time that a copy must be without its object before deletion.'),
    })
    .prefault({})
    .describe('Copies whose consumer object is missing.'),
  contestedAfter: z
    .int()
    .min(2)
    .max(60)
    .default(5)
    .describe(
      'Corrections of the same field of a copy within a minute before the field counts as contested. The konnector then leaves it for a while.',
    ),
  heartbeatIntervalSeconds: z
    .int()
    .min(2)
    .max(3_600)
    .default(300)
    .describe('Interval that the konnector reports. It writes a heartbeat after less than half of it.'),
  providerPollingIntervalSeconds: z
    .number()
    .positive()
    .default(15)
    .describe('Interval for listing the exports of bundles if the provider forbids watching them.'),
});
