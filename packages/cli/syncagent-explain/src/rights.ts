import { type NeededRole, rule } from '@hawser/preview';
import type { Agent, ExportLocation } from '@hawser/publication';
import type { PolicyRule } from '@hawser/rbac';
import { type PublishedResource, type RelatedResource, leaseName, relatedResourcesOf } from '@hawser/syncagent-api';

/**
 * Place where an agent needs rights: the service cluster, the workspace of the APIExport, and that of the endpoint
 * slice, if separate.
 */
export type AgentSide = 'service' | 'provider' | 'endpoints';
export type AgentRole = NeededRole<AgentSide>;

/** The chart's role aggregates ClusterRoles with this label. */
const AGGREGATED = { 'rbac.hawser.dev/aggregate-to-syncagent': 'true' };

/** The agent creates, patches and deletes copies, and never updates them by PUT. */
const COPIES = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** Needs of every agent on the service cluster, independent of what it publishes (`spec/api-syncagent.md §7.1`). */
export function agentRoles(
  { name, namespace }: Agent,
  { removeNamespaces }: { readonly removeNamespaces: boolean },
): readonly AgentRole[] {
  const role = `hawser-syncagent-${name}`;
  return [
    {
      side: 'service',
      name: role,
      rules: [
        rule('syncagent.kcp.io', ['publishedresources'], ['get', 'list', 'watch']),
        rule('syncagent.kcp.io', ['publishedresources/status'], ['patch']),
        rule('apiextensions.k8s.io', ['customresourcedefinitions'], ['get', 'list', 'watch']),
        // The agent reads a namespace that it made before removal; the removal itself takes the other rights.
        rule('', ['namespaces'], ['get', 'create', ...(removeNamespaces ? ['delete'] : [])]),
        // To prove that a namespace is empty, the agent lists everything.
        ...(removeNamespaces ? [rule('*', ['*'], ['list'])] : []),
      ],
    },
    {
      side: 'service',
      name: role,
      namespace,
      rules: [
        rule('', ['secrets'], ['get', 'list', 'watch', 'create', 'update', 'delete']),
        rule('coordination.k8s.io', ['leases'], ['create']),
        rule('coordination.k8s.io', ['leases'], ['get', 'update'], [leaseName(name)]),
      ],
    },
    // Events of PublishedResources, which have no namespace of their own.
    {
      side: 'service',
      name: `${role}-events`,
      namespace: 'default',
      rules: [rule('', ['events'], ['create', 'patch'])],
    },
  ];
}

/** Additional needs of one PublishedResource. `plural`: of its resource on the service cluster. */
export function publicationRole({ metadata: { name }, spec }: PublishedResource, plural: string): AgentRole {
  return {
    side: 'service',
    name: `hawser-published-${name}`,
    labels: AGGREGATED,
    rules: joined([rule(spec.resource.apiGroup, [plural], COPIES), ...(spec.related ?? []).flatMap(relatedRules)]),
  };
}

function relatedRules(entry: RelatedResource): readonly PolicyRule[] {
  const { group, resource } = relatedResourcesOf(entry).service;
  switch (entry.origin) {
    case 'kcp':
      return [
        rule(group, [resource], COPIES),
        ...(entry.syncStatus === true ? [rule(group, [`${resource}/status`], ['update'])] : []),
      ];
    case 'service':
      // The agent decides object by object which ones belong, so it may read all of them.
      return [rule(group, [resource], ['get', 'list', 'watch'])];
  }
}

/** Several entries on one resource need one rule. */
function joined(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const byResource = Map.groupBy(rules, ({ apiGroups = [], resources = [] }) => JSON.stringify([apiGroups, resources]));
  return [...byResource.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, verbs: [...new Set([first, ...more].flatMap(({ verbs }) => verbs))] }],
  );
}

/**
 * Needs of an agent in kcp (`spec/api-syncagent.md §7.2`, §7.3). Consumers' workspaces need no grant: they accept the
 * claims of the export.
 */
export function kcpRoles(
  { name }: Pick<Agent, 'name'>,
  { exportName, provider, endpoints }: Omit<ExportLocation, 'slice'>,
  endpointSlice: string,
): readonly AgentRole[] {
  const role = `hawser-syncagent-${name}`;
  const entry: readonly PolicyRule[] = [
    { nonResourceURLs: ['/'], verbs: ['access'] },
    rule('core.kcp.io', ['logicalclusters'], ['get'], ['cluster']),
  ];
  const slice = rule('apis.kcp.io', ['apiexportendpointslices'], ['get', 'list', 'watch'], [endpointSlice]);
  const apart = endpoints.cluster !== provider.cluster;
  return [
    {
      side: 'provider',
      name: role,
      rules: [
        ...entry,
        rule('apis.kcp.io', ['apiexports'], ['get', 'list', 'watch', 'patch'], [exportName]),
        rule('apis.kcp.io', ['apiresourceschemas'], ['get', 'list', 'watch', 'create', 'patch']),
        ...(apart ? [] : [slice]),
        rule('', ['events'], ['create', 'patch']),
        rule('apis.kcp.io', ['apiexports/content'], ['*'], [exportName]),
      ],
    },
    ...(apart ? [{ side: 'endpoints' as const, name: role, rules: [...entry, slice] }] : []),
  ];
}
