import { type Client, createClient } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import type { Limits } from '@hawser/config';
import type { ProcessContext } from './process-context.js';

/** A client of this process. `name` is the cluster's for logs, metrics and messages; `role` tells API servers who asks. */
export function clientOf(
  name: 'consumer' | 'provider' | 'service',
  connection: ConnectionConfig | (() => ConnectionConfig),
  role: 'konnector' | 'provider' | 'gateway' | 'syncagent',
  context: ProcessContext,
  limits: Limits = {},
): Client {
  const { clock, random, logger, metrics, version, network } = context;
  return createClient({
    name,
    connection,
    clock,
    random,
    logger,
    metrics,
    userAgent: `hawser-${role}/${version}`,
    dispatcher: network?.dispatcher,
    ...limits,
  });
}
