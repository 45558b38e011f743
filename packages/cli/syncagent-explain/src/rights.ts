import { type NeededRole, rule } from '@hawser/preview';
import type { Agent, ExportLocation } from '@hawser/publication';
import type { PolicyRule } from '@hawser/rbac';
import { type PublishedResource, type RelatedResource, leaseName, relatedResourcesOf } from '@hawser/syncagent-api';

/** Where an agent needs rights: on the service cluster, in the workspace of the APIExport, and in that of the endpoint slice, if it is another one. */
export type AgentSide = 'service' | 'provider' | 'endpoints';
export type AgentRole = NeededRole<AgentSide>;

/** ClusterRoles with this label are added to what the chart grants. */
const AGGREGATED = { 'rbac.hawser.dev/aggregate-to-syncagent': 'true' };

/** Copies are made, patched and deleted, never put. */
const COPIES = ['get', 'list', 'watch', 'create', 'patch', 'delete'];

/** What every agent needs on the service cluster, whatever is published (`spec/api-syncagent.md §7.1`). */
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
        // Read before one that the agent made is removed, which takes the rest of the rights.
        rule('', ['namespaces'], ['get', 'create', ...(removeNamespaces ? ['delete'] : [])]),
        // That a namespace is empty is proven by looking for everything.
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

/** What one PublishedResource needs besides. `plural`: of its resource on the service cluster. */
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
      // Which ones belong to an object is found out object by object, so all of them can be read.
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

/** What an agent needs in kcp (`spec/api-syncagent.md §7.2`, §7.3). In consumers' workspaces there is nothing to grant: they accept the claims of the export. */
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
