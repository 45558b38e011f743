import type { KubeObject, Resource } from '@hawser/client';
import { type APIServiceBinding as KubeBindBinding, type APIServiceExport as KubeBindExport, type BoundSchema, type GroupResource, type PermissionClaim as KubeBindClaim, resources as kubeBind } from '@hawser/kube-bind';
import { claimToKubeBind } from '../claims.js';
import { boundSchemaSpecOf } from '../inline-crd.js';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceBinding } from '../kinds/others.js';
import type { PermissionClaim } from '../kinds/shared.js';
import { resources } from '../resources.js';

/** How one kind of kube-bind is found in Klutch. */
export interface View {
  /** Where it stands. */
  readonly stored: Resource;
  /** What stands there, in the shape of kube-bind. `apiVersion`, `kind` and `metadata` stay: Events and owner references have to name what is stored. */
  readonly read: (object: KubeObject) => KubeObject;
  /** Fields of the status that are part of the view and not of the object. */
  readonly derived: readonly string[];
}

const same = (stored: Resource): View => ({ stored, read: (object) => object, derived: [] });

const views: readonly (readonly [Resource, View])[] = [
  [kubeBind.apiServiceBindings, { stored: resources.apiServiceBindings, read: (object) => bindingView(object as APIServiceBinding), derived: ['boundSchemas', 'permissionClaims'] }],
  [kubeBind.apiServiceExports, { stored: resources.apiServiceExports, read: (object) => exportView(object as APIServiceExport), derived: [] }],
  // Klutch has the schema in the export, and one status for both.
  [kubeBind.boundSchemas, { stored: resources.apiServiceExports, read: (object) => schemaView(object as APIServiceExport), derived: [] }],
  [kubeBind.clusterBindings, { ...same(resources.clusterBindings), derived: ['consumerSecretRef'] }],
  [kubeBind.apiServiceNamespaces, same(resources.apiServiceNamespaces)],
  [kubeBind.apiServiceExportRequests, same(resources.apiServiceExportRequests)],
];

/** Undefined for everything that is the same on every cluster, and for kinds of kube-bind that Klutch has nothing for. */
export function viewOf({ group, resource }: Resource): View | undefined {
  return views.find(([kind]) => kind.group === group && kind.resource === resource)?.[1];
}

/** An export with one resource. Claims on resources that kube-bind has no claims on are left out. */
export function exportView(found: APIServiceExport): KubeBindExport {
  const { group, names, versions, informerScope, clusterScopedIsolation = 'Prefixed', permissionClaims = [] } = found.spec;
  const claims = claimsOf(permissionClaims);
  return {
    ...found,
    spec: {
      resources: [{ group, resource: names.plural, versions: versions.map(({ name }) => name) }],
      informerScope,
      isolation: clusterScopedIsolation,
      ...(claims.length === 0 ? {} : { permissionClaims: claims }),
    },
  };
}

export function schemaView(found: APIServiceExport): BoundSchema {
  return { ...found, spec: boundSchemaSpecOf(found) };
}

/** What kube-bind has in the status of a binding, Klutch has in its name and its spec: which resource it binds, and which claims the consumer agrees to. */
export function bindingView(found: APIServiceBinding): KubeBindBinding {
  const { permissionClaims = [], ...spec } = found.spec;
  const accepted = claimsOf(permissionClaims.filter(({ state }) => state === 'Accepted'));
  return { ...found, spec, status: { ...found.status, boundSchemas: [groupResourceOf(found.metadata.name)], ...(accepted.length === 0 ? {} : { permissionClaims: accepted }) } };
}

/** A binding has the name of its CRD. */
function groupResourceOf(name: string): GroupResource {
  const dot = name.indexOf('.');
  return dot < 0 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) };
}

function claimsOf(claims: readonly PermissionClaim[]): KubeBindClaim[] {
  return claims.flatMap((claim) => claimToKubeBind(claim)?.claim ?? []);
}
