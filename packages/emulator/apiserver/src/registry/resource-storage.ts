import { type JsonObject, equal } from '@hawser/json';
import type { Clock, Random } from '@hawser/clock';
import type { FieldError } from '@hawser/schema';
import { invalid, invalidObject, invalidResource } from '../object/invalid.js';
import { isDeleting, keyOf, metaOf, timestampOf, withMeta } from '../object/meta.js';
import { pathSegment } from '../object/names.js';
import { validateMeta, validateMetaUpdate } from '../object/validate-meta.js';
import { StatusError, alreadyExists, badRequest, conflict, generateNameConflict, notFound } from '../status.js';
import type { Entry } from '../store/change.js';
import type { ObjectStore } from '../store/object-store.js';
import { type Admission, NAMESPACES } from './admission.js';
import { dedupeOwnerReferences } from './owner-references.js';
import { finalizersOnDeletion } from './propagation.js';
import { generatedName, uuid } from './random-names.js';
import type { ResourceType } from './resource-type.js';
import { checkSize } from './size.js';
import type { DeleteOutcome, DeleteRequest, WriteRequest } from './write-request.js';
import { groupResource, kindOf, failedPrecondition, failedWithoutObject, checkRevision } from './refused-writes.js';

export interface ResourceStorageOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
}

/** Produces the new object from the current one, both in the version of the request. */
export type Produce = (old: JsonObject | undefined) => JsonObject;

const GENERATE_NAME_ATTEMPTS = 8;
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/**
 * Create, update and delete for every type (apiserver `registry/generic/registry`): metadata, strategy, validation,
 * preconditions, finalizers. One per server. Objects are in the version of the request. Throws StatusError.
 */
export class ResourceStorage {
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #admission: Admission;

  constructor(options: ResourceStorageOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#admission = options.admission;
  }

  entry(type: ResourceType, namespace: string, name: string): Entry | undefined {
    return this.#store.get(type.bucket, keyOf(type.namespaced ? namespace : '', name));
  }

  /** `body` is decoded; its system fields are ignored. */
  create(request: WriteRequest, body: JsonObject): JsonObject {
    const wiped = withMeta(body, {
      creationTimestamp: undefined,
      uid: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      selfLink: undefined,
    });
    const placed = dedupeOwnerReferences(
      inNamespace(wiped, request.namespace),
      (text) => {
        request.warn(text);
      },
      false,
    );
    const owned = request.ownership.update(undefined, placed, { manager: request.manager, now: this.now() });
    this.#admission.admitCreate(request, owned);
    return this.#createWithName(request, this.#admission.mutate(request, owned, undefined));
  }

  /**
   * Calls `produce` with the current object; with undefined if there is none and `allowCreate` or the type allows an
   * update to create.
   */
  update(
    request: WriteRequest,
    name: string,
    produce: Produce,
    allowCreate: boolean,
    uidPrecondition?: string,
  ): { readonly object: JsonObject; readonly created: boolean } {
    const { type, version } = request;
    const existing = this.entry(type, request.namespace, name);
    const mayCreate = request.subresource === '' && (allowCreate || request.strategy.allowCreateOnUpdate);
    if (existing === undefined) {
      if (!mayCreate) throw notFound(groupResource(request), name);
      if (uidPrecondition !== undefined && uidPrecondition !== '')
        throw failedWithoutObject(request, name, uidPrecondition);
      const produced = produce(undefined);
      this.#admission.admitCreate(request, produced);
      request.authorizeCreate(name);
      const created = this.#createOnce(
        request,
        this.#admission.mutate(request, withMeta(produced, { resourceVersion: undefined }), undefined),
      );
      return {
        object: request.dryRun ? withMeta(created, { resourceVersion: metaOf(produced).resourceVersion }) : created,
        created: true,
      };
    }
    if (uidPrecondition !== undefined && uidPrecondition !== '')
      this.#checkPreconditions(request, name, existing, uidPrecondition, undefined);
    const old = version.codec.fromStorage(existing.object);
    const produced = dedupeOwnerReferences(
      produce(old),
      (text) => {
        request.warn(text);
      },
      true,
    );
    this.#admission.admitUpdate(request);
    const next = this.#beforeUpdate(
      request,
      name,
      this.#admission.mutate(request, this.#atRevision(request, name, produced, existing), old),
      old,
    );
    return { object: this.#storeUpdate(request, existing, next, old), created: false };
  }

  delete(request: DeleteRequest, name: string): DeleteOutcome {
    const { type, version } = request;
    const existing = this.entry(type, request.namespace, name);
    if (existing === undefined) throw notFound(type, name);
    this.#checkDeletePreconditions(request, name, existing);
    this.#admission.admitDelete(type, name);
    const context = {
      now: this.now(),
      propagation: { policy: request.policy, orphanDependents: request.orphanDependents },
    };
    const begun = type.beginDeletion?.(existing.object, context) ?? { kind: 'generic' as const };
    switch (begun.kind) {
      case 'store':
        return {
          kind: 'pending',
          object: version.codec.fromStorage(this.#put(existing, begun.object, request.dryRun)),
        };
      case 'pending':
        return { kind: 'pending', object: version.codec.fromStorage(existing.object) };
      case 'generic':
        break;
    }
    const finalizers = finalizersOnDeletion(type, metaOf(existing.object).finalizers ?? [], context.propagation);
    if (finalizers.length > 0) {
      const marked = markAsDeleting(withMeta(existing.object, { finalizers }), context.now);
      return { kind: 'pending', object: version.codec.fromStorage(this.#put(existing, marked, request.dryRun)) };
    }
    const removed = request.dryRun ? existing : this.#store.delete(existing.bucket, existing.key);
    return { kind: 'deleted', object: version.codec.fromStorage(removed?.object ?? existing.object) };
  }

  /** Current time for metadata. */
  now(): string {
    return timestampOf(this.#clock.now());
  }

  #createWithName(request: WriteRequest, object: JsonObject): JsonObject {
    const { name = '', generateName = '' } = metaOf(object);
    const attempts = name === '' && generateName !== '' ? GENERATE_NAME_ATTEMPTS : 1;
    for (let attempt = 1; ; attempt++) {
      try {
        return this.#createOnce(request, object);
      } catch (error) {
        if (!(error instanceof StatusError) || error.reason !== 'AlreadyExists' || attempt >= attempts) throw error;
      }
    }
  }

  #createOnce(request: WriteRequest, body: JsonObject): JsonObject {
    const { type, version, strategy } = request;
    const now = this.now();
    const { generateName = '' } = metaOf(body);
    const name = metaOf(body).name ?? '';
    const named =
      name !== '' || generateName === '' ? body : withMeta(body, { name: generatedName(generateName, this.#random) });
    const filled = withMeta(named, { uid: uuid(this.#random), creationTimestamp: now });
    let object = strategy.prepareForCreate(inNamespace(filled, type.namespaced ? request.namespace : ''), { now });
    this.#validate(request, object, strategy.validate(object));
    this.#validate(request, object, validateMeta(metaOf(object), type.namespaced, pathSegment));
    for (const warning of strategy.warnings?.(object, undefined) ?? []) request.warn(warning);
    object = strategy.canonicalize?.(object) ?? object;
    this.#admission.validateCreate(request, object);
    if ((metaOf(object).resourceVersion ?? '') !== '' && metaOf(object).resourceVersion !== '0') {
      throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    this.#checkFree(request, object);
    const stored = version.codec.toStorage(withMeta(object, { resourceVersion: undefined }));
    checkSize(stored);
    if (request.dryRun) return version.codec.fromStorage(stored);
    const entry = this.#store.put(
      type.bucket,
      keyOf(metaOf(stored).namespace ?? '', metaOf(stored).name ?? ''),
      stored,
    );
    version.codec.written?.(entry.object);
    return version.codec.fromStorage(entry.object);
  }

  #checkFree(request: WriteRequest, object: JsonObject): void {
    const { name = '', namespace = '', generateName = '' } = metaOf(object);
    const taken = this.entry(request.type, namespace, name);
    if (taken === undefined) return;
    const error =
      generateName === ''
        ? alreadyExists(groupResource(request), name)
        : generateNameConflict(groupResource(request), name);
    if (!isDeleting(taken.object)) throw error;
    throw new StatusError(error.code, error.reason, `object is being deleted: ${error.message}`, error.details);
  }

  #validate(request: WriteRequest, object: JsonObject, errors: readonly FieldError[]): void {
    if (errors.length > 0) throw invalidObject(kindOf(request.type, object), metaOf(object).name ?? '', errors);
  }

  /** The optimistic lock. */
  #atRevision(request: WriteRequest, name: string, object: JsonObject, existing: Entry): JsonObject {
    const wanted = metaOf(object).resourceVersion ?? '';
    if (wanted === '' || wanted === '0') {
      if (!request.strategy.allowUnconditionalUpdate) {
        throw invalidResource(groupResource(request), name, [
          invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
        ]);
      }
      return withMeta(object, { resourceVersion: String(existing.revision) });
    }
    checkRevision(wanted);
    if (wanted !== String(existing.revision)) throw conflict(groupResource(request), name, MODIFIED);
    return object;
  }

  #beforeUpdate(request: WriteRequest, name: string, body: JsonObject, old: JsonObject): JsonObject {
    const { type, strategy } = request;
    const oldMeta = metaOf(old);
    const placed = withMeta(inNamespace(body, type.namespaced ? request.namespace : ''), {
      generation: oldMeta.generation,
    });
    let object = strategy.prepareForUpdate(placed, old, { now: this.now() });
    const meta = metaOf(object);
    object = withMeta(object, {
      uid: (meta.uid ?? '') === '' ? oldMeta.uid : meta.uid,
      creationTimestamp: oldMeta.creationTimestamp ?? meta.creationTimestamp,
      deletionTimestamp: oldMeta.deletionTimestamp ?? meta.deletionTimestamp,
      deletionGracePeriodSeconds: meta.deletionGracePeriodSeconds ?? oldMeta.deletionGracePeriodSeconds,
    });
    const errors = [
      ...validateMeta(metaOf(object), type.namespaced, pathSegment),
      ...validateMetaUpdate(metaOf(object), oldMeta),
      ...strategy.validateUpdate(object, old),
    ];
    if (errors.length > 0) throw invalidObject(kindOf(type, object), name, errors);
    for (const warning of strategy.warnings?.(object, old) ?? []) request.warn(warning);
    object = strategy.canonicalize?.(object) ?? object;
    object = ignoringTimestamps(object, old);
    this.#admission.validateUpdate(request, object, old);
    return object;
  }

  #storeUpdate(request: WriteRequest, existing: Entry, object: JsonObject, old: JsonObject): JsonObject {
    const { type, version } = request;
    if (removesByUpdate(type, object, old)) {
      if (!request.dryRun) this.#store.delete(existing.bucket, existing.key);
      return object;
    }
    const stored = this.#put(existing, version.codec.toStorage(object), request.dryRun);
    if (stored !== existing.object) version.codec.written?.(stored);
    return version.codec.fromStorage(stored);
  }

  /** Stores a changed object; an unchanged one keeps its revision. */
  #put(existing: Entry, object: JsonObject, dryRun: boolean): JsonObject {
    const next = withMeta(object, { resourceVersion: String(existing.revision) });
    if (equal(next, existing.object)) return existing.object;
    checkSize(next);
    return dryRun ? next : this.#store.put(existing.bucket, existing.key, next).object;
  }

  #checkPreconditions(
    request: { readonly type: ResourceType; readonly version: { readonly group: string } },
    name: string,
    existing: Entry,
    uid: string | undefined,
    revision: string | undefined,
  ): void {
    const problem = failedPrecondition(existing, uid, revision);
    if (problem === undefined) return;
    const key = `${request.type.storagePath}/${existing.key}`;
    const resource = { group: request.version.group, resource: request.type.resource };
    throw conflict(
      resource,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${problem}`,
    );
  }

  #checkDeletePreconditions(request: DeleteRequest, name: string, existing: Entry): void {
    const { uid, resourceVersion, type } = request;
    const meta = metaOf(existing.object);
    if (type.group === '' && type.resource === NAMESPACES) {
      const problem = failedPrecondition(existing, uid, resourceVersion);
      if (problem !== undefined) throw conflict(type, name, problem);
    }
    // This message names the kind where others name the resource.
    const kind = { group: type.group, resource: type.kind };
    if (uid !== undefined && uid !== meta.uid) {
      const found = meta.uid ?? '';
      throw conflict(
        kind,
        name,
        `the UID in the precondition (${uid}) does not match the UID in record (${found}). The object might have been deleted and then recreated`,
      );
    }
    if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
      const found = meta.resourceVersion ?? '';
      throw conflict(
        kind,
        name,
        `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${found}). The object might have been modified`,
      );
    }
  }
}

/**
 * Sets the request's namespace, or refuses a different one (apiserver `EnsureObjectNamespaceMatchesRequestNamespace`).
 */
export function inNamespace(object: JsonObject, namespace: string): JsonObject {
  const own = metaOf(object).namespace ?? '';
  if (own === namespace) return own === '' ? withMeta(object, { namespace: undefined }) : object;
  if (own === '') return withMeta(object, { namespace });
  if (namespace === '') return withMeta(object, { namespace: undefined });
  throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function markAsDeleting(object: JsonObject, now: string): JsonObject {
  const { generation = 0, deletionTimestamp } = metaOf(object);
  const first = deletionTimestamp === undefined;
  return withMeta(object, {
    generation: first && generation > 0 ? generation + 1 : metaOf(object).generation,
    deletionTimestamp: first || deletionTimestamp > now ? now : deletionTimestamp,
    deletionGracePeriodSeconds: 0,
  });
}

/** Whether an update removes the last finalizer of a deleted object. */
function removesByUpdate(type: ResourceType, object: JsonObject, old: JsonObject): boolean {
  if ((metaOf(object).finalizers ?? []).length > 0 || !isDeleting(old)) return false;
  return (metaOf(old).deletionGracePeriodSeconds ?? 0) === 0 && type.mayBeRemoved?.(object) !== false;
}

/** A write that changes only times of managedFields changes nothing. */
function ignoringTimestamps(object: JsonObject, old: JsonObject): JsonObject {
  const now = metaOf(object).managedFields;
  const before = metaOf(old).managedFields;
  if (now === undefined || before === undefined || now.length !== before.length) return object;
  const sameManagers = now.every((entry, index) => equal({ ...entry, time: null }, { ...before[index], time: null }));
  if (!sameManagers || equal(now, before)) return object;
  const withOldTimes = withMeta(object, { managedFields: before });
  return equal(withOldTimes, old) ? withOldTimes : object;
}
