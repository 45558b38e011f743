import type { CRDNames, CustomResourceDefinition } from '@hawser/crd';
import { approvalAnnotation } from '@hawser/kcp-api';
import type { PublishedResource, ResourceProjection } from '@hawser/syncagent-api';
import { type PublishedVersion, publishedVersions } from './versions.js';

/**
 * Projects a CRD for publication: applies the versions, names, group and scope of the PublishedResource
 * (spec/api-syncagent.md §9.1 to §9.3). Keeps schemas. The result carries only the name, the generation and the API
 * approval.
 * @throws {ProjectionError}
 */
export function project(
  crd: CustomResourceDefinition,
  { spec }: Pick<PublishedResource, 'spec'>,
): CustomResourceDefinition {
  const { projection } = spec;
  const group = unlessEmpty(projection?.group) ?? crd.spec.group;
  const names = projectedNames(crd.spec.names, projection);
  const versions = publishedVersions(crd.spec.versions, spec.resource, projection).map(({ version }) => version);
  const { generation, annotations } = crd.metadata;
  const approval = annotations?.[approvalAnnotation];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group === '' ? 'core' : group}`,
      ...(generation === undefined ? {} : { generation }),
      ...(approval === undefined ? {} : { annotations: { [approvalAnnotation]: approval } }),
    },
    spec: {
      ...crd.spec,
      group,
      names,
      scope: unlessEmpty(projection?.scope) ?? crd.spec.scope,
      versions,
      conversion: { strategy: 'None' },
    },
  };
}

function projectedNames(names: CRDNames, projection: ResourceProjection | undefined): CRDNames {
  if (projection === undefined) return names;
  const kind = unlessEmpty(projection.kind);
  const singular = kind?.toLowerCase();
  const ofKind =
    kind === undefined || singular === undefined
      ? {}
      : { kind, listKind: `${kind}List`, singular, plural: `${singular}s` };
  const plural = unlessEmpty(projection.plural);
  return {
    ...names,
    ...ofKind,
    ...(plural === undefined ? {} : { plural }),
    // Null means absent; an empty list removes them.
    ...(projection.categories === undefined || projection.categories === null
      ? {}
      : { categories: projection.categories }),
    ...(projection.shortNames === undefined || projection.shortNames === null
      ? {}
      : { shortNames: projection.shortNames }),
  };
}

/** One side of the synchronised resource. */
export interface SyncedResource {
  readonly group: string;
  readonly version: string;
  /** Plural. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Subresources that the version declares. */
  readonly subresources: readonly ('status' | 'scale')[];
}

/**
 * The resources to read and write for a PublishedResource, on each side. In kcp the stored version, or the last served
 * one if the stored one is not served; on the service cluster the version that it comes from. So objects are written in
 * the version in which they were read.
 * @throws {ProjectionError}
 */
export function syncedResources(
  crd: CustomResourceDefinition,
  published: Pick<PublishedResource, 'spec'>,
): { readonly service: SyncedResource; readonly kcp: SyncedResource } {
  const { resource, projection } = published.spec;
  const versions = publishedVersions(crd.spec.versions, resource, projection);
  const stored =
    versions.find(({ version }) => version.storage && version.served) ??
    versions.findLast(({ version }) => version.served);
  const projected = project(crd, published);
  return { service: sideOf(crd, stored, stored?.source), kcp: sideOf(projected, stored, stored?.version.name) };
}

function sideOf(
  { spec: { group, names, scope } }: CustomResourceDefinition,
  published: PublishedVersion | undefined,
  version = '',
): SyncedResource {
  const declared = published?.version.subresources;
  return {
    group,
    version,
    resource: names.plural,
    kind: names.kind,
    namespaced: scope === 'Namespaced',
    subresources: (['status', 'scale'] as const).filter((name) => declared?.[name] !== undefined),
  };
}

function unlessEmpty<T extends string>(text: T | undefined): T | undefined {
  return text === '' ? undefined : text;
}
