import { databases } from '@hawser/installation';

/** Below the demo's workspace. */
export const teams = ['team-a', 'team-b', 'team-c'] as const;
export const agentName = 'demo';
/** Of the APIBinding in each workspace. */
export const bindingName = 'databases';
export const exportName = 'databases.example.com';
/** On the service cluster: state Secrets. */
export const agentNamespace = 'hawser-agent';
/** What workspaces see; the service cluster has the group `example.com`. */
export const remoteDatabases = { group: 'kcp.example.com', version: 'v1', resource: databases.plural };
export const published = 'databases';
