import { type Client, createClient } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import type { Limits } from '@hawser/config';
import type { ProcessContext } from './process-context.js';

/**
 * A client of this process. `name` is the cluster's for logs, metrics and messages; `role` identifies the caller to API
 * servers.
 */
export function clientOf(
  name: 'consumer' | 'provider' | 'service',
  connection: ConnectionConfig | (() => ConnectionConfig),
  role: Role,
  context: ProcessContext,
  limits: Limits = {},
): Client {
  const { clock, random, logger, metrics, network } = context;
  return createClient({
    name,
    connection,
    clock,
    random,
    logger,
    metrics,
    userAgent: userAgentOf(role, context),
    dispatcher: network?.dispatcher,
    ...limits,
  });
}

type Role = 'konnector' | 'provider' | 'gateway' | 'syncagent';

/** User agent of a role, with its pod if known: the audit log then shows which of several replicas has written. */
export function userAgentOf(role: Role, { version, env }: Pick<ProcessContext, 'version' | 'env'>): string {
  const pod = env['POD_NAME'] ?? '';
  return `hawser-${role}/${version}${/^[\w.-]{1,253}$/u.test(pod) ? ` (${pod})` : ''}`;
}
