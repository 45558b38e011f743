import { type Client, isApiError, listAll, messageOf } from '@hawser/client';
import { type SideRights, compareRightsOf, rbacText, reading } from '@hawser/preview';
import { type Agent, type Discover, type ExportLocation, publishedResourcesOf } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';

import { type AgentRole, type AgentSide, agentRoles, kcpRoles, publicationRole } from './rights.js';

export interface AgentRightsOptions {
  readonly agent: Agent;
  readonly endpointSlice: string;
  readonly location: ExportLocation;
  readonly service: Client;
  readonly discover: Discover;
  /** ServiceAccount of the agent on the service cluster. Absent: compares the rights of the kubeconfig. */
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
  /** Whether the agent shall remove namespaces that it made. */
  readonly removeNamespaces: boolean;
}

/** The rights of an agent in one place. */
export type AgentRights = SideRights<AgentSide>;

/** Rights that an agent needs on the service cluster, by its PublishedResources, and in kcp. */
export interface ExplainedRights {
  readonly sides: readonly AgentRights[];
  /** PublishedResources with unknown rights, in words. */
  readonly unknown: readonly string[];
  readonly text: string;
}

/** Compares what an agent needs with what it has. @throws ApiError if PublishedResources cannot be listed */
export async function explainAgentRights(
  { agent, endpointSlice, location, service, discover, serviceAccount, removeNamespaces }: AgentRightsOptions,
  signal: AbortSignal,
): Promise<ExplainedRights> {
  const guarded = reading(service);
  const { resource, labelSelector } = publishedResourcesOf(agent);
  const roles: AgentRole[] = [...agentRoles(agent, { removeNamespaces })];
  const unknown: string[] = [];
  for (const object of await listAll<PublishedResource>(guarded, resource, { labelSelector, signal })) {
    const { apiGroup, kind } = object.spec.resource;
    try {
      const crd = await discover({ group: apiGroup, kind }, signal);
      roles.push(publicationRole(object, crd.spec.names.plural));
    } catch (error) {
      if (signal.aborted || (isApiError(error) && error.code === 'Unreachable')) throw error;
      unknown.push(`PublishedResource ${object.metadata.name}: ${messageOf(error)}`);
    }
  }
  const onService = await compareRightsOf<AgentSide>(
    { client: service, account: serviceAccount, reader: guarded, signal },
    'service',
    roles,
  );
  const sides: AgentRights[] = [onService];
  for (const role of kcpRoles(agent, location, endpointSlice)) {
    const { client } = role.side === 'endpoints' ? location.endpoints : location.provider;
    sides.push(
      await compareRightsOf<AgentSide>({ client, user: 'the user of the kcp kubeconfig', signal }, role.side, [role]),
    );
  }
  const text = rbacText(sides, ({ side }) => headline(side, agent, location, unknown));
  return { sides, unknown, text };
}

function headline(
  side: AgentSide,
  { name }: Agent,
  { provider, endpoints, exportName }: ExportLocation,
  unknown: readonly string[],
): string {
  switch (side) {
    case 'service':
      return [`What agent ${name} needs on the service cluster.`, ...unknown].join('\n# ');
    case 'provider':
      return `What it needs in workspace ${provider.path ?? provider.cluster} of kcp, for APIExport ${exportName}.`;
    case 'endpoints':
      return `What it needs in workspace ${endpoints.path ?? endpoints.cluster} of kcp, for the endpoint slice.`;
  }
}
