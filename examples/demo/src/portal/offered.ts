import type { Client, KubeObject, Resource } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type SampleApi, binderRole, databases, ensure, sampleCrd } from '@hawser/installation';
import { apiGroup, apiVersion, installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import type { Cluster } from '../cluster.js';
import type { Opening } from '../clusters.js';
import { startOperator } from '../operator.js';

export const portalNamespace = 'hawser';

/** An API of the provider, its template, and the groups that may bind it. */
export interface Offer {
  readonly api: SampleApi;
  readonly description: string;
  readonly groups: readonly string[];
}

const caches: SampleApi = { group: 'example.com', plural: 'caches', kind: 'Cache', scope: 'Namespaced' };

/** The groups are those of the embedded identity provider: Ada is in `engineering`, Grace in `devops`. */
export const offers: readonly Offer[] = [
  { api: databases, description: 'A database with its own endpoint, ready in a moment.', groups: ['engineering'] },
  { api: caches, description: 'A cache beside your application.', groups: ['devops'] },
];

const OPERATOR_DELAY_MS = 300;

type Wanted = readonly [Resource, object];

export function resourceOf({ group, plural }: SampleApi): Resource {
  return { group, version: 'v1', resource: plural };
}

/** Grace sees all consumers, and approves pending ones. */
const operatorGroup = 'devops';

/**
 * Prepares a provider: its APIs with their controllers, and templates with rights to bind them. Resolves to the
 * cleanup.
 */
export async function prepareOffers(provider: Cluster, signal: AbortSignal): Promise<Pick<Opening, 'close'>> {
  const { client } = provider;
  await Promise.all([
    ensure(client, resources.namespaces, namespace(portalNamespace)),
    ensure(client, resources.clusterRoles, binderRole()),
    installCRDs(client, providerCRDs, { clock: systemClock, signal }),
    ensureAll(
      client,
      grant(
        'portal-operator',
        [operatorGroup],
        [
          { apiGroups: [apiGroup], resources: ['clusterbindings'], verbs: ['list'] },
          { apiGroups: [apiGroup], resources: ['apiserviceexporttemplates', 'apiserviceexports'], verbs: ['approve'] },
        ],
      ),
    ),
  ]);
  const operators = await Promise.all(
    offers.map(async (offer) => {
      await ensure(client, resources.customResourceDefinitions, sampleCrd(offer.api));
      await ensureAll(client, objectsOf(offer));
      const resource = resourceOf(offer.api);
      await provider.served(resource);
      return startOperator({ client, clock: systemClock, resource, delayMs: OPERATOR_DELAY_MS });
    }),
  );
  return {
    close: async () => {
      await Promise.all(operators.map((operator) => operator.close()));
    },
  };
}

const rbac = 'rbac.authorization.k8s.io';

/** A ClusterRole, granted to the groups. */
function grant(name: string, groups: readonly string[], rules: readonly object[]): readonly Wanted[] {
  return [
    [resources.clusterRoles, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules }],
    [
      resources.clusterRoleBindings,
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
        subjects: groups.map((group) => ({ apiGroup: rbac, kind: 'Group', name: group })),
      },
    ],
  ];
}

function objectsOf({ api, description, groups }: Offer): readonly Wanted[] {
  const { group, plural, scope } = api;
  return [
    [
      resources.apiServiceExportTemplates,
      {
        apiVersion,
        kind: 'APIServiceExportTemplate',
        metadata: { name: plural },
        spec: { scope, description, resources: [{ group, resource: plural, versions: ['v1'] }] },
      },
    ],
    ...grant(`may-bind-${plural}`, groups, [
      { apiGroups: [apiGroup], resources: ['apiserviceexporttemplates'], resourceNames: [plural], verbs: ['bind'] },
    ]),
    // Output of `hawser rbac --roles provider`: the provider role grants these roles to consumers, and creates none
    // itself.
    [
      resources.clusterRoles,
      {
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRole',
        metadata: { name: `kube-binder:objects:${plural}.${group}` },
        rules: [
          { apiGroups: [group], resources: [plural], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
        ],
      },
    ],
  ];
}

async function ensureAll(client: Client, objects: readonly Wanted[]): Promise<void> {
  for (const [resource, object] of objects) await ensure(client, resource, object as KubeObject);
}

export function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
