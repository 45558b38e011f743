import * as z from 'zod';

/** Kubeconfig for the access to a cluster. */
export const kubeconfigSchema = z.strictObject({
  kubeconfig: z
    .string()
    .default('')
    .describe('Path. Empty: `KUBECONFIG`, the home file, or the cluster that the process runs in.'),
  context: z.string().default('').describe('Context of that kubeconfig. Empty: its current one.'),
});

/** Leader election between processes. */
export const leaseSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Off only where no other process may run beside this one.'),
    name: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Absent: for the konnector `kube-bind`, in the dialect klutch `klutch-bind`, so that it and a Go konnector exclude each other; for the provider `hawser-provider`; for an agent `syncagent.<agentName>`.',
      ),
    namespace: z
      .string()
      .default('')
      .describe('Empty: `POD_NAMESPACE`, else `kube-system`; for an agent its own namespace.'),
    identity: z
      .string()
      .default('')
      .describe(
        'Empty: `POD_NAME`, else a random number; for an agent `POD_UID`, else `POD_NAME` with a random number.',
      ),
    durationSeconds: z.int().min(1).default(15).describe('How long others wait after the last renewal that they saw.'),
    renewDeadlineSeconds: z
      .number()
      .positive()
      .default(10)
      .describe('How long this process works after the last renewal that it sent.'),
    retryPeriodSeconds: z.number().positive().default(2).describe('Time between two tries.'),
  })
  .refine(
    ({ durationSeconds, renewDeadlineSeconds, retryPeriodSeconds }) =>
      retryPeriodSeconds * 1.2 < renewDeadlineSeconds && renewDeadlineSeconds < durationSeconds,
    {
      message:
        'retryPeriodSeconds, with a fifth added, must be below renewDeadlineSeconds, and that below durationSeconds',
    },
  );

/**
 * Request rate limits for one cluster, without watches and the Lease. Hawser honours the servers' own limits anyway.
 */
export const limitsSchema = z
  .strictObject({
    qps: z
      .number()
      .positive()
      .optional()
      .describe("Requests per second on average. Absent: no limit but the server's own."),
    burst: z.int().min(1).optional().describe('Requests that may go at once before `qps` counts. Absent: as `qps`.'),
  })
  .refine(({ qps, burst }) => burst === undefined || qps !== undefined, {
    message: 'burst counts only together with qps',
    path: ['burst'],
  });
