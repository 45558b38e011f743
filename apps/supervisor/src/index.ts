import type { Config } from '@hawser/config';
import { createGatewayRole } from './gateway-role.js';
import { createKonnectorRole } from './konnector-role.js';
import type { ProcessContext } from '@hawser/commands';
import { createProviderRole } from './provider-role.js';
import { runRoles } from './run.js';
import { createSyncagentRole } from './syncagent-role.js';

/** The process without its executable, for callers that run roles in their own process. Only within this workspace. */
export { type Config, parseConfig } from '@hawser/config';
export type { Network, ProcessContext } from '@hawser/commands';

/** All roles, loaded in advance: a later load would take time that the fake clock does not control. */
export function run(config: Config, context: ProcessContext, signal: AbortSignal): Promise<void> {
  return runRoles(
    config,
    {
      konnector: createKonnectorRole,
      provider: createProviderRole,
      gateway: createGatewayRole,
      syncagent: createSyncagentRole,
    },
    context,
    signal,
  );
}
