import type { JsonObject } from '@hawser/json';
import type { AdmissionPlugin, AdmittedWrite } from '../personality.js';
import type { UserInfo } from '../parts.js';
import { StatusError, type GroupResource, forbidden, notFound } from '../status.js';
import { at } from '../object/json.js';
import { metaOf } from '../object/meta.js';
import type { ObjectStore } from '../store/object-store.js';
import type { ResourceType } from './resource-type.js';
import type { WriteRequest } from './write-request.js';

export const NAMESPACES = 'namespaces';
const IMMORTAL = ['default', 'kube-system', 'kube-public'];

/** Refuses grants beyond the user's own rights. */
export type CheckEscalation = (
  user: UserInfo,
  resource: GroupResource,
  object: JsonObject,
  previous: JsonObject | undefined,
) => void;

export interface AdmissionOptions {
  readonly store: ObjectStore;
  checkEscalation: CheckEscalation;
  /** Whether the CRD of a type is being deleted, which forbids creations. */
  isTerminating(type: ResourceType): boolean;
  readonly plugin?: AdmissionPlugin | undefined;
}

/** Checks before a write: the life cycle of namespaces and CRDs, and RBAC's guard against escalation. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  admitCreate(request: WriteRequest, object: JsonObject): void {
    const { type, namespace } = request;
    const name = metaOf(object).name ?? '';
    const resource = { group: request.version.group, resource: type.resource };
    if (this.#options.isTerminating(type))
      throw forbidden(resource, name, 'create not allowed while custom resource definition is terminating');
    if (!type.namespaced) return;
    const phase = this.#phase(namespace);
    if (phase !== 'Terminating') return;
    const error = forbidden(
      resource,
      name,
      `unable to create new content in namespace ${namespace} because it is being terminated`,
    );
    const cause = {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    };
    throw new StatusError(error.code, error.reason, error.message, { ...error.details, causes: [cause] });
  }

  admitUpdate(request: WriteRequest): void {
    if (request.type.namespaced) this.#phase(request.namespace);
  }

  /** The object to store instead of the requested one. */
  mutate(request: WriteRequest, object: JsonObject, old: JsonObject | undefined): JsonObject {
    return this.#options.plugin?.mutate?.(admitted(request, object, old)) ?? object;
  }

  admitDelete(type: ResourceType, name: string): void {
    if (type.group === '' && type.resource === NAMESPACES && IMMORTAL.includes(name))
      throw forbidden(type, name, 'this namespace may not be deleted');
  }

  validateCreate(request: WriteRequest, object: JsonObject): void {
    if (request.user !== undefined) this.#options.checkEscalation(request.user, request.type, object, undefined);
    this.#options.plugin?.validate?.(admitted(request, object, undefined));
  }

  validateUpdate(request: WriteRequest, object: JsonObject, old: JsonObject): void {
    if (request.user !== undefined) this.#options.checkEscalation(request.user, request.type, object, old);
    this.#options.plugin?.validate?.(admitted(request, object, old));
  }

  /** Throws the 404 of a missing namespace. */
  #phase(namespace: string): unknown {
    const entry = this.#options.store.get(NAMESPACES, namespace);
    if (entry === undefined) throw notFound({ group: '', resource: NAMESPACES }, namespace);
    return at(entry.object, 'status', 'phase');
  }
}

function admitted(
  { type, version, subresource, user }: WriteRequest,
  object: JsonObject,
  previous: JsonObject | undefined,
): AdmittedWrite {
  return {
    resource: { group: version.group, resource: type.resource },
    version: version.version,
    subresource,
    user,
    object,
    previous,
  };
}
