import {
  type Client,
  getIfExists,
  isAlreadyExists,
  isObjectNotFound,
  keyOf,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
  versionOf,
} from '@hawser/client';
import { type JsonObject, type JsonValue, createMergePatch, equal } from '@hawser/json';
import type { PairDialect, PairMarks } from '@hawser/kube-bind';

import type { Copies } from './copies.js';
import type { Action } from './decision.js';
import { copyPatch, preconditions } from './copy-patch.js';
import type { Path } from './difference.js';
import { deepAssign, valueAt } from './object-paths.js';
import { marksGiven, marksTaken } from './finalizer.js';
import { isWrittenByKonnector, ownedOnlyByUs, writersOf } from './field-ownership.js';
import { REWRITTEN_HASH } from './marks.js';
import type { DeletionProof, Maker, PairMemory } from './observed.js';
import type { ServiceNamespaces } from './service-namespaces.js';

/** What an action taught, beyond what the caches took in. */
export interface ActResult {
  readonly memory?: Partial<PairMemory>;
  readonly proof?: DeletionProof;
  /** Wait for an event before the next step. */
  readonly wait?: boolean;
}

export interface ActorOptions {
  readonly consumer: Client;
  readonly provider: Client;
  readonly resource: Resource;
  readonly observeConsumer: (object: UnstructuredObject) => void;
  readonly copies: Copies;
  readonly namespaces: ServiceNamespaces;
  readonly exportOwner: OwnerReference;
  readonly prove: () => Promise<DeletionProof>;
  /** See the option of the sync. */
  readonly confirmProvider?: (() => Promise<void>) | undefined;
  readonly statusSubresource: boolean;
  /** Dialect of both sides. */
  readonly dialect: PairDialect;
}

/** The only place that writes. Throws every failure as the client's ApiError. */
export type Act = (action: Action, signal: AbortSignal) => Promise<ActResult>;

const NOTHING: ActResult = {};

export function createAct(options: ActorOptions): Act {
  const actor = new Actor(options);
  return (action, signal) => actor.run(action, signal);
}

/** Carries out actions for the objects of one resource. */
class Actor {
  readonly #options: ActorOptions;
  readonly #consumer: Client;
  readonly #provider: Client;
  readonly #resource: Resource;
  readonly #copies: Copies;
  readonly #fieldManager: string;
  readonly #finalizer: string;
  readonly #marks: PairMarks;

  constructor(options: ActorOptions) {
    const { fieldManager, finalizer, marks } = options.dialect;
    this.#options = options;
    this.#consumer = options.consumer;
    this.#provider = options.provider;
    this.#resource = options.resource;
    this.#copies = options.copies;
    this.#fieldManager = fieldManager;
    this.#finalizer = finalizer;
    this.#marks = marks;
  }

  async run(action: Action, signal: AbortSignal): Promise<ActResult> {
    switch (action.type) {
      case 'requestNamespace':
        return (await this.#options.namespaces.ensure(action.consumerNamespace, this.#options.exportOwner, signal)) ===
          'assigned'
          ? NOTHING
          : { wait: true };
      case 'shareNamespace':
        await this.#options.namespaces.share(action.consumerNamespace, this.#options.exportOwner, signal);
        return NOTHING;
      case 'addFinalizer':
        await this.#patchConsumerMetadata(
          action.consumer,
          { finalizers: [...(action.consumer.metadata.finalizers ?? []), this.#finalizer], ...marksGiven(this.#marks) },
          signal,
        );
        return NOTHING;
      case 'removeFinalizer':
        return this.#removeFinalizer(action.consumer, signal);
      case 'createConsumerObject':
        return this.#createConsumerObject(action.object, signal);
      case 'createCopy':
        return this.#createCopy(action, signal);
      case 'inspectCopy':
        return this.#inspectCopy(action, signal);
      case 'inspectMaker':
        return this.#inspectMaker(action, signal);
      case 'patchCopy':
        return this.#patchCopy(action, signal);
      case 'nameWriters':
        return this.#nameWriters(action, signal);
      case 'recordRewritten':
        await this.#recordRewritten(action, signal);
        return NOTHING;
      case 'deleteCopy':
        return this.#deleteCopy(action, signal);
      case 'confirmGone':
        return this.#confirmGone(action, signal);
      case 'proveDeletion':
        return { proof: await this.#options.prove() };
      case 'confirmDeletion':
        return this.#confirmDeletion(action, signal);
      case 'proveGone':
        return this.#proveGone(action.key, signal);
      case 'writeStatus':
        return this.#writeStatus(action, signal);
      case 'recordCopy':
      case 'recordRoute':
        await this.#patchConsumerMetadata(action.consumer, { annotations: action.annotations }, signal);
        return NOTHING;
    }
  }

  /** Sends a metadata patch that fails with a conflict unless the object is the one decided about. */
  async #patchConsumerMetadata(
    object: UnstructuredObject,
    metadata: JsonObject,
    signal: AbortSignal,
  ): Promise<ObjectMeta> {
    const answer = await this.#consumer.patch(
      this.#resource,
      keyOf(object),
      { type: 'merge', patch: { metadata: { ...preconditions(object), ...metadata } } },
      { representation: 'metadata', signal },
    );
    // Everything but the metadata is known, unless an admission has changed it: then the generation differs.
    if (answer.metadata.generation === object.metadata.generation && object.metadata.generation !== undefined) {
      this.#options.observeConsumer({ ...object, metadata: answer.metadata });
      return answer.metadata;
    }
    const live = await getIfExists(this.#consumer, this.#resource, keyOf(object), { signal });
    if (live !== undefined) this.#options.observeConsumer(live);
    return live?.metadata ?? answer.metadata;
  }

  /** Removes our finalizer. Waits for the event: the answer to the last removal still shows the object. */
  async #removeFinalizer(object: UnstructuredObject, signal: AbortSignal): Promise<ActResult> {
    const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== this.#finalizer);
    try {
      const after = await this.#patchConsumerMetadata(
        object,
        { finalizers: finalizers.length === 0 ? null : finalizers, ...marksTaken(object, this.#marks) },
        signal,
      );
      // An admission has put it back: no event follows.
      if (after.finalizers?.includes(this.#finalizer) === true) return NOTHING;
    } catch (error) {
      if (!isObjectNotFound(error, this.#resource, keyOf(object))) throw error;
    }
    return { wait: true };
  }

  async #createConsumerObject(object: UnstructuredObject, signal: AbortSignal): Promise<ActResult> {
    try {
      this.#options.observeConsumer(await this.#consumer.create(this.#resource, object, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#options.observeConsumer(await this.#consumer.get(this.#resource, keyOf(object), { signal }));
    }
    return NOTHING;
  }

  async #createCopy(action: Extract<Action, { type: 'createCopy' }>, signal: AbortSignal): Promise<ActResult> {
    try {
      const copy = await this.#provider.create(this.#resource, action.object, {
        fieldManager: this.#fieldManager,
        signal,
      });
      this.#copies.observe(copy);
      return {
        memory: {
          copyGone: undefined,
          lastWrite: { wantedHash: action.wantedHash, resourceVersion: copy.metadata.resourceVersion ?? '' },
        },
      };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      this.#copies.observe(await this.#provider.get(this.#resource, keyOf(action.object), { signal }));
      return { memory: { copyGone: undefined } };
    }
  }

  async #inspectCopy(action: Extract<Action, { type: 'inspectCopy' }>, signal: AbortSignal): Promise<ActResult> {
    const live = await this.#provider.get(this.#resource, action.key, { signal });
    this.#copies.observe(live);
    let leftover = ownedOnlyByUs(action.extras, live.metadata.managedFields ?? []);
    if (action.onlyReason && leftover.length > 0) leftover = await this.#thoseThatWouldGo(live, leftover, signal);
    return {
      memory: {
        inspection: { wantedHash: action.wantedHash, extrasKey: action.extrasKey, leftover },
        maker: this.#makerOf(live),
      },
    };
  }

  #makerOf({ metadata: { uid, managedFields = [] } }: UnstructuredObject): Maker {
    return {
      uid,
      isKonnector: isWrittenByKonnector(
        ['metadata', 'annotations', this.#options.dialect.marks.ofMaker],
        managedFields,
      ),
    };
  }

  async #inspectMaker({ copy }: Extract<Action, { type: 'inspectMaker' }>, signal: AbortSignal): Promise<ActResult> {
    const live = await getIfExists(this.#provider, this.#resource, keyOf(copy), { signal });
    if (live === undefined) return this.#absent(copy.metadata.uid);
    this.#copies.observe(live);
    return { memory: { maker: this.#makerOf(live) } };
  }

  /** Selects the fields that a dry run removes: restored ones are defaults of the server or a webhook. */
  async #thoseThatWouldGo(
    live: UnstructuredObject,
    paths: readonly Path[],
    signal: AbortSignal,
  ): Promise<readonly Path[]> {
    const patch = paths.reduce<JsonObject>((merged, path) => deepAssign(merged, path), {
      metadata: preconditions(live),
    });
    const after = await this.#provider.patch(
      this.#resource,
      keyOf(live),
      { type: 'merge', patch },
      { fieldManager: this.#fieldManager, dryRun: true, signal },
    );
    return paths.filter((path) => !equal(valueAt(after, path), valueAt(live, path)));
  }

  async #patchCopy(action: Extract<Action, { type: 'patchCopy' }>, signal: AbortSignal): Promise<ActResult> {
    const written = await this.#provider.patch(this.#resource, keyOf(action.copy), copyPatch(action), {
      fieldManager: this.#fieldManager,
      signal,
    });
    this.#copies.observe(written);
    return {
      memory: {
        lastWrite: {
          wantedHash: action.wantedHash,
          resourceVersion: written.metadata.resourceVersion ?? '',
          partly: action.partly,
        },
      },
    };
  }

  async #recordRewritten(action: Extract<Action, { type: 'recordRewritten' }>, signal: AbortSignal): Promise<void> {
    const patch = { metadata: { ...preconditions(action.copy), annotations: { [REWRITTEN_HASH]: action.wantedHash } } };
    this.#copies.observe(
      await this.#provider.patch(
        this.#resource,
        keyOf(action.copy),
        { type: 'merge', patch },
        { fieldManager: this.#fieldManager, signal },
      ),
    );
  }

  async #deleteCopy(
    { copy, at, leftBy }: Extract<Action, { type: 'deleteCopy' }>,
    signal: AbortSignal,
  ): Promise<ActResult> {
    if (leftBy !== undefined) {
      const live = await getIfExists(this.#consumer, this.#resource, keyOf(leftBy), { signal });
      if (live === undefined) return { wait: true };
      this.#options.observeConsumer(live);
      // The decision depends on the content of the object.
      if (versionOf(live) !== versionOf(leftBy)) return NOTHING;
    }
    // uid and version: delete exactly the object whose ownership was checked, or nothing.
    const { uid, resourceVersion } = copy.metadata;
    try {
      const answer = await this.#provider.delete(this.#resource, keyOf(copy), {
        preconditions: { uid, resourceVersion },
        propagationPolicy: 'Background',
        signal,
      });
      if (answer.kind === 'gone') return { memory: { copyGone: uid } };
      return at === undefined
        ? { wait: true }
        : { memory: { found: { copy: answer.object as UnstructuredObject, at } } };
    } catch (error) {
      if (isObjectNotFound(error, this.#resource, keyOf(copy))) return this.#absent(uid);
      throw error;
    }
  }

  /** The provider has answered that the copy does not exist. */
  async #absent(copyGone: string | undefined): Promise<ActResult> {
    await this.#options.confirmProvider?.();
    return { memory: { copyGone } };
  }

  async #confirmGone({ key, at }: Extract<Action, { type: 'confirmGone' }>, signal: AbortSignal): Promise<ActResult> {
    const live = await getIfExists(this.#provider, this.#resource, key, { signal });
    if (live === undefined) return this.#absent('none');
    if (at !== undefined) return { memory: { found: { copy: live, at } } };
    this.#copies.observe(live);
    return NOTHING;
  }

  async #confirmDeletion(
    { consumer, copy, at }: Extract<Action, { type: 'confirmDeletion' }>,
    signal: AbortSignal,
  ): Promise<ActResult> {
    const live = await getIfExists(this.#consumer, this.#resource, keyOf(consumer), { signal });
    // Its event will follow.
    if (live === undefined) return { wait: true };
    const { uid, deletionTimestamp, finalizers } = live.metadata;
    // One that stands loses its copy because its binding goes.
    const isAsked = deletionTimestamp !== undefined || consumer.metadata.deletionTimestamp === undefined;
    if (uid === consumer.metadata.uid && isAsked && finalizers?.includes(this.#finalizer))
      return { memory: { deletionStands: { consumer: uid, copy: copy.metadata.uid, at } } };
    this.#options.observeConsumer(live);
    // A backup has undone the deletion. The cache learns of that by a list, since the version may be older.
    return uid === consumer.metadata.uid && !isAsked ? { wait: true } : NOTHING;
  }

  async #proveGone(key: ObjectKey, signal: AbortSignal): Promise<ActResult> {
    const live = await getIfExists(this.#consumer, this.#resource, key, { signal });
    if (live === undefined) {
      const proof = await this.#options.prove();
      return { proof: proof.kind === 'byUser' ? { kind: 'byUser', objectGone: true } : proof };
    }
    this.#options.observeConsumer(live);
    // Restored, or recreated: the present object decides about the copy.
    return { memory: { slippedAway: undefined } };
  }

  async #nameWriters(
    { key, contest }: Extract<Action, { type: 'nameWriters' }>,
    signal: AbortSignal,
  ): Promise<ActResult> {
    const live = await this.#provider.get(this.#resource, key, { signal });
    this.#copies.observe(live);
    return {
      memory: { contest: { ...contest, writers: writersOf(contest.paths, live.metadata.managedFields ?? []) } },
    };
  }

  async #writeStatus(action: Extract<Action, { type: 'writeStatus' }>, signal: AbortSignal): Promise<ActResult> {
    const { consumer: object, copy } = action;
    const status = copy['status'] as JsonValue | undefined;
    const { name, namespace } = object.metadata;
    const written = this.#options.statusSubresource
      ? await this.#consumer.update(
          this.#resource,
          {
            apiVersion: object.apiVersion,
            kind: object.kind,
            metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...preconditions(object) },
            ...(status === undefined ? {} : { status }),
          },
          { subresource: 'status', signal },
        )
      : await this.#consumer.patch(
          this.#resource,
          keyOf(object),
          {
            type: 'merge',
            patch: {
              metadata: preconditions(object),
              status:
                createMergePatch((object['status'] as JsonValue | undefined) ?? null, status ?? null) ?? status ?? null,
            },
          },
          { signal },
        );
    this.#options.observeConsumer(written);
    const stored = equal(written['status'], status);
    return stored
      ? NOTHING
      : { memory: { statusRefused: `${copy.metadata.uid ?? ''}/${copy.metadata.resourceVersion ?? ''}` } };
  }
}
