import { canonical } from '@hawser/json';
import type { APIExport, ExportedResource, V1alpha1APIExport } from '../kinds/api-export.js';
import { isSameClaim, type PermissionClaim, type V1alpha1PermissionClaim } from '../kinds/permission-claim.js';
import { annotations } from '../metadata.js';
import { parseSchemaName } from '../names.js';
import { encodeV1alpha1Claims, listInAnnotation, withAnnotations } from './claims-annotation.js';
import { ConversionError } from './conversion-error.js';

// The conversions of kcp (spec/api-syncagent.md §3.1). Each keeps in annotations what the other version has no place for.

/** @throws {ConversionError} for a schema name with fewer than three parts, or an annotation that cannot be read. */
export function apiExportToV1alpha2(from: V1alpha1APIExport): APIExport {
  const { latestResourceSchemas, permissionClaims, ...spec } = from.spec ?? {};
  const hiddenResources = listInAnnotation<ExportedResource>(from, annotations.resourceSchemas) ?? [];
  const hiddenClaims = listInAnnotation<PermissionClaim>(from, annotations.permissionClaims) ?? [];
  const shown = latestResourceSchemas?.map(exportedResource);
  const resources =
    shown === undefined && hiddenResources.length === 0 ? undefined : [...(shown ?? []), ...hiddenResources];
  const claims = permissionClaims?.map((shownClaim): PermissionClaim => {
    const claim = without(shownClaim, 'all', 'resourceSelector');
    const verbs = hiddenClaims.findLast((hidden) => isSameClaim(hidden, claim))?.verbs ?? [];
    return { ...claim, verbs: verbs.length === 0 ? ['*'] : verbs };
  });
  const converted: APIExport = {
    ...from,
    apiVersion: 'apis.kcp.io/v1alpha2',
    spec: {
      ...spec,
      ...(resources === undefined ? {} : { resources }),
      ...(claims === undefined ? {} : { permissionClaims: claims }),
    },
  };
  return withAnnotations(converted, {
    [annotations.resourceSchemas]: undefined,
    [annotations.permissionClaims]: undefined,
    ...(permissionClaims === undefined || permissionClaims.length === 0
      ? {}
      : { [annotations.v1alpha1PermissionClaims]: encodeV1alpha1Claims(permissionClaims) }),
  });
}

/** @throws {ConversionError} for an annotation that cannot be read. */
export function apiExportToV1alpha1(from: APIExport): V1alpha1APIExport {
  const { resources, permissionClaims, ...spec } = from.spec ?? {};
  const original = listInAnnotation<V1alpha1PermissionClaim>(from, annotations.v1alpha1PermissionClaims) ?? [];
  const schemas = resources?.filter(isStoredAsCRD).map(({ schema }) => schema) ?? [];
  const hidden = resources?.filter((resource) => !isStoredAsCRD(resource)) ?? [];
  const narrowed = permissionClaims?.filter(({ verbs }) => verbs.length !== 1 || verbs[0] !== '*') ?? [];
  const claims = permissionClaims?.map((shownClaim): V1alpha1PermissionClaim => {
    const claim = without(shownClaim, 'verbs', 'defaultSelector');
    const { all, resourceSelector } = original.findLast((known) => isSameClaim(known, claim)) ?? {};
    return {
      ...claim,
      ...(all === undefined ? {} : { all }),
      ...(resourceSelector === undefined ? {} : { resourceSelector }),
    };
  });
  const converted: V1alpha1APIExport = {
    ...from,
    apiVersion: 'apis.kcp.io/v1alpha1',
    spec: {
      ...spec,
      ...(schemas.length === 0 ? {} : { latestResourceSchemas: schemas }),
      ...(claims === undefined ? {} : { permissionClaims: claims }),
    },
  };
  return withAnnotations(converted, {
    [annotations.v1alpha1PermissionClaims]: undefined,
    ...(hidden.length === 0 ? {} : { [annotations.resourceSchemas]: canonical(hidden) }),
    ...(narrowed.length === 0 ? {} : { [annotations.permissionClaims]: canonical(narrowed) }),
  });
}

/** A schema of a v1alpha1 export as v1alpha2 lists it. @throws {ConversionError} */
export function exportedResource(schema: string): ExportedResource {
  const parts = parseSchemaName(schema);
  if (parts === undefined)
    throw new ConversionError(
      'SchemaName',
      `${JSON.stringify(schema)} is not a name of an APIResourceSchema: it needs a prefix, a resource and a group`,
    );
  return { name: parts.resource, group: parts.group, schema, storage: { crd: {} } };
}

/** Like kcp, treats a resource without a storage as the default, which the server writes. */
function isStoredAsCRD({ storage }: ExportedResource): boolean {
  return storage === undefined || storage.crd !== undefined;
}

function without<T extends object, K extends keyof T>(object: T, ...names: readonly K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name as K))) as Omit<T, K>;
}
