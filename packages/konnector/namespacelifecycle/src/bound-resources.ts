import { type Client, type Resource, getIfExists, listAll } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import {
  type APIServiceExport,
  type BoundSchema,
  resourceGroupName,
  resources,
  servedResource,
} from '@hawser/kube-bind';

/** Namespaced resources that may have copies in service namespaces. */
export type BoundResourcesReading =
  | { readonly kind: 'known'; readonly resources: readonly Resource[] }
  | { readonly kind: 'unknown'; readonly why: string };

/** A provider's exported resources whose copies use service namespaces. */
export interface BoundResources {
  read(signal: AbortSignal): Promise<BoundResourcesReading>;
}

/**
 * Reads exports live, for a restored backup of the provider may have brought back some that the cache lacks. Reads
 * `schemas` from their cache, or live where a provider refuses the watch.
 */
export function createBoundResources(
  provider: Client,
  clusterNamespace: string,
  exports: InformerHandle<APIServiceExport>,
  schemas: InformerHandle<BoundSchema>,
): BoundResources {
  const readSchema = async (name: string, signal: AbortSignal): Promise<BoundSchema | undefined> => {
    const key = { namespace: clusterNamespace, name };
    return schemas.hasSynced
      ? schemas.get(key)
      : getIfExists<BoundSchema>(provider, resources.boundSchemas, key, { signal });
  };
  return {
    async read(signal) {
      if (!exports.hasSynced || exports.state.phase === 'waiting')
        return { kind: 'unknown', why: 'what the provider exports cannot be read' };
      const live = await listAll<APIServiceExport>(provider, resources.apiServiceExports, {
        namespace: clusterNamespace,
        signal,
      });
      const names = new Set(live.flatMap(({ spec }) => spec.resources.map((resource) => resourceGroupName(resource))));
      if (names.size === 0) return { kind: 'unknown', why: 'the provider exports nothing' };
      const found: Resource[] = [];
      for (const name of names) {
        const spec = (await readSchema(name, signal))?.spec;
        const resource = spec === undefined ? undefined : servedResource(spec);
        if (resource === undefined)
          return { kind: 'unknown', why: `the provider has no BoundSchema ${name}, or serves no version of it` };
        if (spec?.scope === 'Namespaced') found.push(resource);
      }
      return { kind: 'known', resources: found };
    },
  };
}
