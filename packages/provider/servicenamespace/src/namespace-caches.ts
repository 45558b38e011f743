import { type KubeObject, isTerminating } from '@hawser/client';
import { type Setup, toOwnKey, type Watched } from '@hawser/controller';
import { type APIServiceNamespace, apiServiceNamespaceKey, hawserAnnotations, resources } from '@hawser/kube-bind';
import { consumerOf, ownerOf } from './marks.js';
import type { Settings } from './observed.js';
import { assignedName, candidateNames } from './placement.js';

/**
 * A consumer that waits for more namespaces than these yields to others: a consumer with thousands must not delay one
 * with a single namespace.
 */
const patience = 16;

/** Cached knowledge of the provider's cluster. */
export interface NamespaceCaches {
  readonly serviceNamespaces: Watched<APIServiceNamespace>;
  /** Metadata alone. */
  readonly namespaces: Watched<KubeObject>;
  readonly exports: Watched<KubeObject>;
  /** Namespaces made for a consumer. */
  readonly madeFor: (clusterNamespace: string) => readonly KubeObject[];
  readonly exportsOf: (clusterNamespace: string) => readonly KubeObject[];
}

/** Watches everything that decides which namespace an APIServiceNamespace gets. `name`: that of the controller. */
export function watchNamespaces(setup: Setup<'provider'>, settings: Settings, name: string): NamespaceCaches {
  const { clusters, watch } = setup;
  const { provider } = clusters;
  const { dialect } = settings;
  const byConsumer = `${name}/consumer`;
  const byClusterNamespace = `${name}/cluster-namespace`;
  const namespace = { resource: resources.namespaces, kind: 'Namespace', projection: 'metadata' } as const;
  const { serviceNamespaces, waitingOf, candidatesFor } = watchWanted(setup, settings, name);
  serviceNamespaces.addIndex(byClusterNamespace, ({ metadata }) => [metadata.namespace ?? '']);

  const namespaces = watch(
    provider,
    namespace,
    (one) => [...candidatesFor(one.metadata.name).map(keyOf), ...ownerKey(ownerOf(dialect, one))],
    {
      changed: (before, after) =>
        ownerOf(dialect, before) !== ownerOf(dialect, after) || isTerminating(before) !== isTerminating(after),
    },
  );
  namespaces.addIndex(byConsumer, (one) => [consumerOf(dialect, one)].filter((consumer) => consumer !== undefined));
  // There is room for another one.
  watch(
    provider,
    namespace,
    (one, change) => (change === 'delete' ? waitingOf(consumerOf(dialect, one)).map(keyOf) : []),
    { initial: false, changed: () => false, priority: 'background' },
  );

  const exports = watch(
    provider,
    { resource: dialect.resources.apiServiceExports, kind: 'APIServiceExport' },
    ({ metadata }, change) =>
      change === 'delete' ? [] : serviceNamespaces.byIndex(byClusterNamespace, metadata.namespace ?? '').map(keyOf),
    {
      // The start looks at every APIServiceNamespace anyway.
      initial: false,
      changed: requestChanged,
      priority: 'background',
    },
  );
  exports.addIndex(byClusterNamespace, ({ metadata }) => [metadata.namespace ?? '']);
  return {
    serviceNamespaces,
    namespaces,
    exports,
    madeFor: (clusterNamespace) => namespaces.byIndex(byConsumer, clusterNamespace),
    exportsOf: (clusterNamespace) => exports.byIndex(byClusterNamespace, clusterNamespace),
  };
}

/** Indexes of waiting APIServiceNamespaces. */
interface Wanted {
  readonly serviceNamespaces: Watched<APIServiceNamespace>;
  /** Those of a consumer without a namespace. */
  readonly waitingOf: (clusterNamespace?: string) => readonly APIServiceNamespace[];
  /** Those that may get a namespace of that name. */
  readonly candidatesFor: (namespace: string) => readonly APIServiceNamespace[];
}

function watchWanted({ clusters: { provider }, watch }: Setup<'provider'>, settings: Settings, name: string): Wanted {
  const unassigned = `${name}/unassigned`;
  // Informers are shared, and the index depends on the isolation.
  const byNamespace = `${name}/namespace/${settings.isolation}`;
  const waitingOf = (clusterNamespace = ''): readonly APIServiceNamespace[] =>
    serviceNamespaces.byIndex(unassigned, clusterNamespace);
  const serviceNamespaces: Watched<APIServiceNamespace> = watch<APIServiceNamespace>(
    provider,
    { resource: settings.dialect.resources.apiServiceNamespaces, kind: 'APIServiceNamespace' },
    toOwnKey,
    {
      priority: (_, object) =>
        assignedName(object) === undefined && waitingOf(object.metadata.namespace).length > patience
          ? 'background'
          : 'normal',
    },
  );
  serviceNamespaces.addIndex(byNamespace, (object) =>
    candidateNames(settings, object.metadata.namespace ?? '', object.metadata.name, object),
  );
  serviceNamespaces.addIndex(unassigned, (object) =>
    assignedName(object) === undefined ? [object.metadata.namespace ?? ''] : [],
  );
  return {
    serviceNamespaces,
    waitingOf,
    candidatesFor: (namespace) => serviceNamespaces.byIndex(byNamespace, namespace),
  };
}

/** Whether an export now belongs to another request. */
export function requestChanged(before: KubeObject, after: KubeObject): boolean {
  return (
    before.metadata.annotations?.[hawserAnnotations.request] !== after.metadata.annotations?.[hawserAnnotations.request]
  );
}

function keyOf({ metadata }: APIServiceNamespace): string {
  return apiServiceNamespaceKey(metadata.namespace ?? '', metadata.name);
}

function ownerKey(owner: string | undefined): readonly string[] {
  return owner !== undefined && /^[^/]+\/[^/]+$/u.test(owner) ? [owner] : [];
}
