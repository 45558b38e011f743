import * as z from 'zod';

/** Kubeconfig for the access to a cluster. */
export const kubeconfigSchema = z.strictObject({
  kubeconfig: z
    .string()
    .default('')
    .describe('Path of a kubeconfig. Empty: `KUBECONFIG`, the file in the home folder, or the cluster of the pod.'),
  context: z.string().default('').describe('Context of that kubeconfig. Empty: its current one.'),
});

/** Leader election between processes. */
export const leaseSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Turn it off only if no second process can run.'),
    name: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Absent: `kube-bind` for the konnector (`klutch-bind` in the dialect `klutch`), which also excludes a Go konnector; `hawser-provider` for the provider; `syncagent.<agentName>` for an agent.',
      ),
    namespace: z
      .string()
      .default('')
      .describe('Empty: `POD_NAMESPACE`, else `kube-system`. For an agent: its own namespace.'),
    identity: z
      .string()
      .default('')
      .describe(
        'Empty: `POD_NAME`, else a random number. For an agent: `POD_UID`, else `POD_NAME` with a random number.',
      ),
    durationSeconds: z
      .int()
      .min(1)
      .default(15)
      .describe('Time that other processes wait after the last renewal that they saw.'),
    renewDeadlineSeconds: z
      .number()
      .positive()
      .default(10)
      .describe('Time that this process works after the last renewal that it sent.'),
    retryPeriodSeconds: z.number().positive().default(2).describe('Time between two attempts.'),
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
    burst: z
      .int()
      .min(1)
      .optional()
      .describe('Requests that may be sent at once before `qps` applies. Absent: the value of `qps`.'),
  })
  .refine(({ qps, burst }) => burst === undefined || qps !== undefined, {
    message: 'burst counts only together with qps',
    path: ['burst'],
  });
