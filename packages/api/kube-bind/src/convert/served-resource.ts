import type { Resource } from '@hawser/client';

/** The spec fields that CRD and BoundSchema share to locate their objects. */
export interface ServedSpec<V extends { readonly name: string; readonly served: boolean }> {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly V[];
}

/** The version to read and write objects of a CRD or BoundSchema in: the first served. */
export function servedVersion<V extends { readonly name: string; readonly served: boolean }>({
  versions,
}: Pick<ServedSpec<V>, 'versions'>): V | undefined {
  return versions.find(({ served }) => served);
}

/** Where to find the objects of a CRD or BoundSchema; undefined if it serves no version. */
export function servedResource<V extends { readonly name: string; readonly served: boolean }>(
  spec: ServedSpec<V>,
): Resource | undefined {
  const version = servedVersion(spec);
  return version === undefined ? undefined : { group: spec.group, version: version.name, resource: spec.names.plural };
}

/** Where to read all objects of a CRD: in the stored version if served, else as {@link servedResource}. */
export function storedResource<
  V extends { readonly name: string; readonly served: boolean; readonly storage: boolean },
>(spec: ServedSpec<V>): Resource | undefined {
  const stored = spec.versions.filter(({ served, storage }) => served && storage);
  return servedResource(stored.length === 0 ? spec : { ...spec, versions: stored });
}
