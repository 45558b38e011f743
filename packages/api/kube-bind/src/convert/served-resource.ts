import type { Resource } from '@hawser/client';

/** What a CRD and a BoundSchema say alike about where their objects are found. */
export interface ServedSpec<V extends { readonly name: string; readonly served: boolean }> {
  readonly group: string;
  readonly names: { readonly plural: string };
  readonly versions: readonly V[];
}

/** The version in which the objects of a CRD or BoundSchema are read and written: the first that is served. */
export function servedVersion<V extends { readonly name: string; readonly served: boolean }>({
  versions,
}: Pick<ServedSpec<V>, 'versions'>): V | undefined {
  return versions.find(({ served }) => served);
}

/** Where the objects of a CRD or BoundSchema are found; undefined if no version is served. */
export function servedResource<V extends { readonly name: string; readonly served: boolean }>(
  spec: ServedSpec<V>,
): Resource | undefined {
  const version = servedVersion(spec);
  return version === undefined ? undefined : { group: spec.group, version: version.name, resource: spec.names.plural };
}

/** Where all objects of a CRD can be read: in the version in which they are stored, if that is served, else as {@link servedResource}. */
export function storedResource<
  V extends { readonly name: string; readonly served: boolean; readonly storage: boolean },
>(spec: ServedSpec<V>): Resource | undefined {
  const stored = spec.versions.filter(({ served, storage }) => served && storage);
  return servedResource(stored.length === 0 ? spec : { ...spec, versions: stored });
}
