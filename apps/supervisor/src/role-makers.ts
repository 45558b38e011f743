import type { createGatewayRole } from './gateway-role.js';
import type { createKonnectorRole } from './konnector-role.js';
import type { createProviderRole } from './provider-role.js';
import type { createSyncagentRole } from './syncagent-role.js';

export interface RoleMakers {
  readonly konnector: typeof createKonnectorRole;
  readonly provider: typeof createProviderRole;
  readonly gateway: typeof createGatewayRole;
  readonly syncagent: typeof createSyncagentRole;
}

/** Loads each role on demand: a process holds no code of other roles. */
export const loadedRoles: RoleMakers = {
  konnector: async (...made) => (await import('./konnector-role.js')).createKonnectorRole(...made),
  provider: async (...made) => (await import('./provider-role.js')).createProviderRole(...made),
  gateway: async (...made) => (await import('./gateway-role.js')).createGatewayRole(...made),
  syncagent: async (...made) => (await import('./syncagent-role.js')).createSyncagentRole(...made),
};
