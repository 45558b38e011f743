import type { CRDSubresources, CustomResourceDefinition } from '@hawser/crd';
import type { APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResourceSpec } from '@hawser/syncagent-api';
import type { PublishedKinds, PublishedSide } from '@hawser/syncagent-sync';

/**
 * Finds the kinds to write on either side (`spec/api-syncagent.md §9.6`). In kcp: the stored version of the published
 * schema, or the last one it serves, also while a newer schema is held. On the service cluster: the version published
 * as that one; content is never written as another version than its own (`spec/api-syncagent.md §17`, 23). If it is not
 * served: the storage version. Undefined for a schema or CRD without a usable version.
 */
export function publishedKinds(
  spec: PublishedResourceSpec,
  crd: CustomResourceDefinition,
  schema: APIResourceSchema,
): PublishedKinds | undefined {
  const remote =
    schema.spec.versions.find(({ storage, served }) => storage && served) ??
    schema.spec.versions.findLast(({ served }) => served);
  if (remote === undefined) return undefined;
  const { versions } = crd.spec;
  const local =
    versions.find(
      ({ name, served }) => served && isSelected(spec, name) && publishedName(spec, name) === remote.name,
    ) ?? versions.find(({ storage }) => storage);
  if (local === undefined) return undefined;
  return { service: sideOf(crd.spec, local), kcp: sideOf(schema.spec, remote) };
}

function isSelected({ resource: { version, versions } }: PublishedResourceSpec, name: string): boolean {
  if ((version ?? '') !== '') return name === version;
  return versions === undefined || versions.length === 0 || versions.includes(name);
}

function publishedName({ projection }: PublishedResourceSpec, name: string): string {
  if ((projection?.version ?? '') !== '') return projection?.version ?? name;
  const renamed = projection?.versions;
  const next = renamed !== undefined && Object.hasOwn(renamed, name) ? renamed[name] : undefined;
  return next === undefined || next === '' ? name : next;
}

interface Names {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly plural: string; readonly kind: string };
}

function sideOf(
  { group, scope, names }: Names,
  { name, subresources }: { readonly name: string; readonly subresources?: CRDSubresources | undefined },
): PublishedSide {
  return {
    resource: { group, version: name, resource: names.plural },
    kind: names.kind,
    scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    subresources: Object.entries<unknown>(subresources ?? {}).flatMap(([key, value]) =>
      value === undefined || value === null ? [] : [key],
    ),
  };
}
