import { type Client, type KubeObject, listAll } from '@hawser/client';
import { clientSpeaking, labels } from '@hawser/klutch';
import {
  type APIServiceExport,
  type ClusterBinding,
  type Dialect,
  annotations,
  conditionTypes,
  getCondition,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';

/** A consumer as its provider knows it. */
export interface Consumer {
  readonly dialect: Dialect['name'];
  readonly clusterNamespace: string;
  /** In Klutch only an app cluster that is served from beside the provider has one: its AppClusterBinding. */
  readonly prettyName: string | undefined;
  readonly konnectorVersion: string | undefined;
  /** RFC 3339; undefined: never. */
  readonly lastHeartbeat: string | undefined;
  /** What the provider makes of it; undefined if nobody has judged. */
  readonly healthy: boolean | undefined;
  /** Why it is not healthy. */
  readonly problem: string | undefined;
  /** What is left of exports that have ended: what the condition says; undefined: nothing. */
  readonly left: string | undefined;
  readonly exports: readonly ConsumerExport[];
}

export interface ConsumerExport {
  readonly name: string;
  readonly resources: readonly string[];
  /** A schema change that waits for somebody: what the condition says. */
  readonly held: string | undefined;
  /** The consumer has let go of it. */
  readonly isUnbound: boolean;
}

/** All consumers of a provider that speak one dialect, by default kube-bind's, by namespace. Only reads. @throws ApiError */
export async function consumersOf(
  cluster: Client,
  signal: AbortSignal,
  dialect: Dialect,
): Promise<readonly Consumer[]> {
  const provider = clientSpeaking(dialect, cluster);
  const bindings = await listAll<ClusterBinding>(provider, resources.clusterBindings, { signal });
  const exports = Map.groupBy(
    await listAll<APIServiceExport>(provider, resources.apiServiceExports, { signal }),
    ({ metadata }) => metadata.namespace ?? '',
  );
  const namespaces = new Map(
    (await listAll<KubeObject>(provider, resources.namespaces, { signal, representation: 'metadata' })).map(
      (namespace) => [namespace.metadata.name, namespace],
    ),
  );
  return bindings
    .map((binding): Consumer => {
      const clusterNamespace = binding.metadata.namespace ?? '';
      const left = getCondition(binding.status?.conditions, conditionTypes.objectsLeft);
      const healthy = getCondition(binding.status?.conditions, conditionTypes.healthy);
      return {
        dialect: dialect.name,
        clusterNamespace,
        prettyName:
          appClusterBindingOf(binding) ??
          (binding.metadata.annotations ?? {})[annotations.clusterPrettyName] ??
          (namespaces.get(clusterNamespace)?.metadata.annotations ?? {})[annotations.clusterPrettyName],
        konnectorVersion: binding.status?.konnectorVersion,
        lastHeartbeat: binding.status?.lastHeartbeatTime,
        healthy: healthy === undefined ? undefined : healthy.status === 'True',
        problem: healthy?.status === 'False' ? `${healthy.reason ?? ''}: ${healthy.message ?? ''}` : undefined,
        left: left?.status === 'True' ? left.message : undefined,
        exports: (exports.get(clusterNamespace) ?? []).map(exportOf),
      };
    })
    .sort((one, other) => (one.clusterNamespace < other.clusterNamespace ? -1 : 1));
}

/** `<namespace>/<name>` */
function appClusterBindingOf({ metadata: { labels: found = {} } }: ClusterBinding): string | undefined {
  const { [labels.appClusterBindingNamespace]: namespace, [labels.appClusterBindingName]: name } = found;
  return namespace === undefined || name === undefined ? undefined : `${namespace}/${name}`;
}

function exportOf({ metadata, spec, status }: APIServiceExport): ConsumerExport {
  const held = getCondition(status?.conditions, conditionTypes.schemaUpdateHeld);
  return {
    name: metadata.name,
    resources: spec.resources.map(resourceGroupName),
    held: held?.status === 'True' ? (held.message ?? held.reason ?? 'held') : undefined,
    isUnbound: getCondition(status?.conditions, conditionTypes.unbound)?.status === 'True',
  };
}
