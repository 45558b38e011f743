import type { KubeObject, Resource } from '@hawser/client';
import {
  type APIServiceBinding as KubeBindBinding,
  type APIServiceExport as KubeBindExport,
  type BoundSchema,
  groupResourceOf,
  resources as kubeBind,
  unreadableView,
} from '@hawser/kube-bind';
import { boundSchemaSpecOf } from '../inline-crd.js';
import type { APIServiceExport } from '../kinds/api-service-export.js';
import type { APIServiceBinding } from '../kinds/others.js';
import type { PermissionClaim } from '../kinds/shared.js';
import { malformation } from '../malformation.js';
import { resources } from '../resources.js';

/** How to find one kind of kube-bind in Klutch. */
export interface View {
  /** The stored kind. */
  readonly stored: Resource;
  /**
   * The stored object in the shape of kube-bind. Keeps `apiVersion`, `kind` and `metadata`: Events and owner references
   * must name the stored object.
   */
  readonly read: (object: KubeObject) => KubeObject;
  /** Fields of the status that only the view has. */
  readonly derived: readonly string[];
}

const same = (stored: Resource): View => ({ stored, read: (object) => object, derived: [] });

/** One malformed export must not fail the list of the others. */
function whole(read: (found: APIServiceExport) => KubeObject): View['read'] {
  return (object) => {
    const problem = malformation('APIServiceExport', object);
    return problem === undefined ? read(object as APIServiceExport) : unreadableView(object, problem);
  };
}

const views: readonly (readonly [Resource, View])[] = [
  [
    kubeBind.apiServiceBindings,
    {
      stored: resources.apiServiceBindings,
      read: (object) => bindingView(object as APIServiceBinding),
      derived: ['boundSchemas', 'permissionClaims'],
    },
  ],
  [kubeBind.apiServiceExports, { stored: resources.apiServiceExports, read: whole(exportView), derived: [] }],
  // Klutch has the schema in the export, and one status for both.
  [kubeBind.boundSchemas, { stored: resources.apiServiceExports, read: whole(schemaView), derived: [] }],
  [kubeBind.clusterBindings, { ...same(resources.clusterBindings), derived: ['consumerSecretRef'] }],
  [kubeBind.apiServiceNamespaces, same(resources.apiServiceNamespaces)],
  [kubeBind.apiServiceExportRequests, same(resources.apiServiceExportRequests)],
];

/**
 * Undefined for kinds that are the same on every cluster, and for kinds of kube-bind without a counterpart in Klutch.
 */
export function viewOf({ group, resource }: Resource): View | undefined {
  return views.find(([kind]) => kind.group === group && kind.resource === resource)?.[1];
}

/**
 * An export with one resource. It asks for no claims: in Klutch those of a binding count, where the consumer answers
 * each ({@link acceptedClaims}).
 */
export function exportView(found: APIServiceExport): KubeBindExport {
  const { group, names, versions, informerScope, clusterScopedIsolation = 'Prefixed' } = found.spec;
  return {
    ...found,
    spec: {
      resources: [{ group, resource: names.plural, versions: versions.map(({ name }) => name) }],
      informerScope,
      isolation: clusterScopedIsolation,
    },
  };
}

export function schemaView(found: APIServiceExport): BoundSchema {
  return { ...found, spec: boundSchemaSpecOf(found) };
}

/** Klutch has the bound resource in the binding's name; kube-bind has it in the status. */
export function bindingView(found: APIServiceBinding): KubeBindBinding {
  // A binding has the name of its CRD.
  return { ...found, status: { ...found.status, boundSchemas: [groupResourceOf(found.metadata.name)] } };
}

/** Claims that a binding of Klutch accepts, also for one read through a view. */
export function acceptedClaims(binding: KubeObject): readonly PermissionClaim[] {
  const { permissionClaims = [] } = (binding as Partial<APIServiceBinding>).spec ?? {};
  return permissionClaims.flatMap(({ state, ...claim }) => (state === 'Accepted' ? [claim] : []));
}
