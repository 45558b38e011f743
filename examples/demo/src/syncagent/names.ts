import { databases } from '@hawser/installation';

export const providerWorkspace = 'root:provider';
export const teams = ['root:team-a', 'root:team-b', 'root:team-c'] as const;
export const exportName = 'databases.example.com';
/** On the service cluster: state Secrets. */
export const agentNamespace = 'hawser-agent';
/** What workspaces see; the service cluster has the group `example.com`. */
export const remoteDatabases = { group: 'kcp.example.com', version: 'v1', resource: databases.plural };
export const published = 'databases';
