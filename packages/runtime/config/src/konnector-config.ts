import * as z from 'zod';

import { kubeconfigSchema, leaseSchema, limitsSchema } from './shared-config.js';

/** `konnector` of the config file. */
export const konnectorSchema = z.strictObject({
  ...kubeconfigSchema.shape,
  dialect: z
    .enum(['kube-bind', 'klutch'])
    .default('kube-bind')
    .describe(
      'In which words consumer and providers speak: `kube-bind`, or `klutch`, the fork with the group klutch.anynines.com, its Lease, finalizer and marks.',
    ),
  controlPlaneMode: z
    .strictObject({
      kubeconfigSecret: z
        .strictObject({
          namespace: z.string().min(1).describe('Of the Secret.'),
          name: z.string().min(1).describe('Of the Secret.'),
          key: z.string().min(1).default('kubeconfig').describe('In its data.'),
        })
        .describe('Of the app cluster, on the control plane.'),
      rootNamespace: z.string().min(1).describe('With the APIServiceBindings, and all else of this app cluster.'),
    })
    .optional()
    .describe(
      "Klutch's: the konnector runs beside the provider, and serves one app cluster from there. Needs the dialect klutch. Absent: it runs in its consumer.",
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
        .describe('Namespaces in which Connections may keep their kubeconfig Secrets; `*`: all.'),
      alone: z
        .boolean()
        .default(false)
        .describe('Serve nothing of `dialect`, and install none of its CRDs. Needs `enabled`.'),
    })
    .prefault({})
    .describe('The second generation of kube-bind, `core.kbind.io`, beside `dialect`. Not in control plane mode.'),
  adoptFromProvider: z
    .boolean()
    .optional()
    .describe(
      'Whether objects that were made on the provider, in a namespace of this consumer, come to the consumer. Absent: only in the dialect klutch, where konnectors have always done that.',
    ),
  lease: leaseSchema.prefault({}).describe('Of several konnectors the one that holds this Lease works.'),
  shards: z
    .int()
    .min(1)
    .max(16)
    .default(1)
    .describe(
      'How many konnectors share the work: 1 has one work and the others stand by; with more, each serves the provider connections of its share. All konnectors of a consumer need 1, or all need more; which number more may be changed at any time. Not in control plane mode.',
    ),
  concurrency: z
    .int()
    .min(1)
    .max(256)
    .default(24)
    .describe(
      'Objects of one resource that are written at the same time; a third of it while those of others change too.',
    ),
  limits: z
    .strictObject({
      consumer: limitsSchema.prefault({}).describe('To the consumer.'),
      provider: limitsSchema.prefault({}).describe('To providers, for each connection of its own.'),
    })
    .prefault({})
    .describe("How fast requests may go, watches and the Lease apart. The servers' own limits are honoured anyway."),
  labelledSecrets: z
    .boolean()
    .default(true)
    .describe(
      'Also connect for Secrets labelled `kube-bind.io/provider-kubeconfig=true` that no binding names. Needs the right to list Secrets in all namespaces.',
    ),
  secretKubeconfigs: z
    .strictObject({
      allowInsecureSkipTlsVerify: z.boolean().default(false).describe('A server whose certificate is not verified.'),
      allowProxyUrl: z.boolean().default(false).describe('A proxy.'),
    })
    .prefault({})
    .describe('What a kubeconfig from a Secret may contain beyond the safe minimum.'),
  allowedGroups: z
    .array(z.string().regex(/^(\*|(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/u, 'must be a group, *.domain or *'))
    .default(['*'])
    .describe(
      'API groups in which providers may install CRDs: `example.com`, `*.example.com`, or `*`, all but those of Kubernetes and kcp, which have to be named.',
    ),
  allowConversionWebhooks: z
    .boolean()
    .default(false)
    .describe("Whether their CRDs may have conversion webhooks: the consumer's API server sends objects there."),
  schemaUpdate: z
    .enum(['Safe', 'Always', 'Never'])
    .default('Safe')
    .describe(
      'What becomes of changed schemas where a binding does not say (annotation `hawser.dev/schema-update`): `Safe` holds what may break something until it is approved, `Always` installs them, as the Go konnector does, `Never` holds all.',
    ),
  migrateStoredVersions: z
    .boolean()
    .default(false)
    .describe(
      'Whether objects are stored anew when the storage version of a bound API moves. Needs the right to patch `customresourcedefinitions/status`.',
    ),
  bounds: z
    .strictObject({
      claimedObjectsPerBinding: z
        .int()
        .min(0)
        .default(1_000)
        .describe('Objects that come by the permission claims of one binding.'),
      namespacesPerProvider: z.int().min(0).default(100).describe('Namespaces that are made for one provider.'),
    })
    .prefault({})
    .describe('What a provider may have come to the consumer. What is there already stays.'),
  orphans: z
    .strictObject({
      policy: z
        .enum(['Keep', 'Delete'])
        .default('Keep')
        .describe('`Keep` them, or `Delete` them once it is proven that the object is gone.'),
      deletionsPerMinute: z
        .int()
        .min(1)
        .default(10)
        .describe('Of one binding. Where more would go, none is deleted until the operator approves it.'),
      graceSeconds: z.number().min(1).default(60).describe('How long a copy must have been without its object.'),
    })
    .prefault({})
    .describe('Copies whose consumer object is missing.'),
  contestedAfter: z
    .int()
    .min(2)
    .max(60)
    .default(5)
    .describe(
      'How often the same field of a copy is put back within a minute before it counts as contested, and is left alone for a while.',
    ),
  heartbeatIntervalSeconds: z
    .int()
    .min(2)
    .max(3_600)
    .default(300)
    .describe('What the konnector reports as its interval. It writes a heartbeat after less than half of it.'),
  providerPollingIntervalSeconds: z
    .number()
    .positive()
    .default(15)
    .describe('How often exports are listed for bundles where the provider does not let them be watched.'),
});
