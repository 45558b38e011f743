import { type Client, getIfExists, isAlreadyExists, isObjectNotFound, keyOf, type ObjectKey, type ObjectMeta, type OwnerReference, type Resource, type UnstructuredObject } from '@hawser/client';
import { type JsonObject, type JsonValue, createMergePatch, equal } from '@hawser/json';
import type { Dialect } from '@hawser/kube-bind';

import type { Copies } from './copies.js';
import type { Action } from './decision.js';
import { copyPatch, preconditions } from './copy-patch.js';
import type { Path } from './difference.js';
import { isWrittenByKonnector, ownedOnlyByUs, writersOf } from './field-ownership.js';
import { REWRITTEN_HASH } from './marks.js';
import type { DeletionProof, Maker, PairMemory } from './observed.js';
import type { ServiceNamespaces } from './service-namespaces.js';

/** What carrying out an action taught, beyond what the caches took in. */
export interface ActResult {
  readonly memory?: Partial<PairMemory>;
  readonly proof?: DeletionProof;
  /** Nothing more can be done before an event. */
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
  readonly statusSubresource: boolean;
  /** Of both sides. */
  readonly dialect: Dialect;
}

/** The one place that writes. Every failure is thrown as the client's ApiError. */
export type Act = (action: Action, signal: AbortSignal) => Promise<ActResult>;

const NOTHING: ActResult = {};

export function createAct(options: ActorOptions): Act {
  const { consumer, provider, resource, copies, dialect } = options;
  const { fieldManager, finalizer: ours } = dialect;
  const marksOfObject: JsonObject = Object.keys(dialect.marks.ofObject).length === 0 ? {} : { annotations: dialect.marks.ofObject };

  /** A metadata patch that fails with a conflict if the object is not the one that was decided about. */
  const patchConsumerMetadata = async (object: UnstructuredObject, metadata: JsonObject, signal: AbortSignal): Promise<ObjectMeta> => {
    const answer = await consumer.patch(resource, keyOf(object), { type: 'merge', patch: { metadata: { ...preconditions(object), ...metadata } } }, { representation: 'metadata', signal });
    // The precondition makes everything but the metadata known, unless an admission has changed it: that the generation tells, and what it is now is not in this answer.
    if (answer.metadata.generation === object.metadata.generation && object.metadata.generation !== undefined) {
      options.observeConsumer({ ...object, metadata: answer.metadata });
      return answer.metadata;
    }
    const live = await getIfExists(consumer, resource, keyOf(object), { signal });
    if (live !== undefined) options.observeConsumer(live);
    return live?.metadata ?? answer.metadata;
  };

  /** The answer to the removal of the last finalizer shows the object as it was: only its event tells that it is gone, so that is waited for. */
  const removeFinalizer = async (object: UnstructuredObject, signal: AbortSignal): Promise<ActResult> => {
    const finalizers = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== ours);
    try {
      const after = await patchConsumerMetadata(object, { finalizers: finalizers.length === 0 ? null : finalizers }, signal);
      // An admission has put it back: no event comes of that.
      if (after.finalizers?.includes(ours) === true) return NOTHING;
    } catch (error) {
      if (!isObjectNotFound(error, resource, keyOf(object))) throw error;
    }
    return { wait: true };
  };

  const createConsumerObject = async (object: UnstructuredObject, signal: AbortSignal): Promise<ActResult> => {
    try {
      options.observeConsumer(await consumer.create(resource, object, { signal }));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      options.observeConsumer(await consumer.get(resource, keyOf(object), { signal }));
    }
    return NOTHING;
  };

  const createCopy = async (action: Extract<Action, { type: 'createCopy' }>, signal: AbortSignal): Promise<ActResult> => {
    try {
      const copy = await provider.create(resource, action.object, { fieldManager, signal });
      copies.observe(copy);
      return { memory: { copyGone: undefined, lastWrite: { wantedHash: action.wantedHash, resourceVersion: copy.metadata.resourceVersion ?? '' } } };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      copies.observe(await provider.get(resource, keyOf(action.object), { signal }));
      return { memory: { copyGone: undefined } };
    }
  };

  const inspectCopy = async (action: Extract<Action, { type: 'inspectCopy' }>, signal: AbortSignal): Promise<ActResult> => {
    const live = await provider.get(resource, action.key, { signal });
    copies.observe(live);
    let leftover = ownedOnlyByUs(action.extras, live.metadata.managedFields ?? []);
    if (action.onlyReason && leftover.length > 0) leftover = await thoseThatWouldGo(live, leftover, signal);
    return { memory: { inspection: { wantedHash: action.wantedHash, extrasKey: action.extrasKey, leftover }, maker: makerOf(live) } };
  };

  const makerOf = ({ metadata: { uid, managedFields = [] } }: UnstructuredObject): Maker => ({ uid, isKonnector: isWrittenByKonnector(['metadata', 'annotations', dialect.marks.ofMaker], managedFields) });

  const inspectMaker = async ({ copy }: Extract<Action, { type: 'inspectMaker' }>, signal: AbortSignal): Promise<ActResult> => {
    const live = await getIfExists(provider, resource, keyOf(copy), { signal });
    if (live === undefined) return { memory: { copyGone: copy.metadata.uid } };
    copies.observe(live);
    return { memory: { maker: makerOf(live) } };
  };

  /** Values that the server or a webhook would put back at once are defaults, not leftovers; a dry run tells. */
  const thoseThatWouldGo = async (live: UnstructuredObject, paths: readonly Path[], signal: AbortSignal): Promise<readonly Path[]> => {
    const patch = paths.reduce<JsonObject>((merged, path) => deepAssign(merged, path), { metadata: preconditions(live) });
    const after = await provider.patch(resource, keyOf(live), { type: 'merge', patch }, { fieldManager, dryRun: true, signal });
    return paths.filter((path) => !equal(valueAt(after, path), valueAt(live, path)));
  };

  const patchCopy = async (action: Extract<Action, { type: 'patchCopy' }>, signal: AbortSignal): Promise<ActResult> => {
    const written = await provider.patch(resource, keyOf(action.copy), copyPatch(action), { fieldManager, signal });
    copies.observe(written);
    return { memory: { lastWrite: { wantedHash: action.wantedHash, resourceVersion: written.metadata.resourceVersion ?? '', partly: action.partly } } };
  };

  const recordRewritten = async (action: Extract<Action, { type: 'recordRewritten' }>, signal: AbortSignal): Promise<void> => {
    const patch = { metadata: { ...preconditions(action.copy), annotations: { [REWRITTEN_HASH]: action.wantedHash } } };
    copies.observe(await provider.patch(resource, keyOf(action.copy), { type: 'merge', patch }, { fieldManager, signal }));
  };

  const deleteCopy = async ({ copy, at }: Extract<Action, { type: 'deleteCopy' }>, signal: AbortSignal): Promise<ActResult> => {
    // uid and version: exactly the object whose ownership was checked, or nothing.
    const { uid, resourceVersion } = copy.metadata;
    try {
      const answer = await provider.delete(resource, keyOf(copy), { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background', signal });
      if (answer.kind === 'gone') return { memory: { copyGone: uid } };
      return at === undefined ? { wait: true } : { memory: { found: { copy: answer.object as UnstructuredObject, at } } };
    } catch (error) {
      if (isObjectNotFound(error, resource, keyOf(copy))) return { memory: { copyGone: uid } };
      throw error;
    }
  };

  const confirmGone = async ({ key, at }: Extract<Action, { type: 'confirmGone' }>, signal: AbortSignal): Promise<ActResult> => {
    const live = await getIfExists(provider, resource, key, { signal });
    if (live === undefined) return { memory: { copyGone: 'none' } };
    if (at !== undefined) return { memory: { found: { copy: live, at } } };
    copies.observe(live);
    return NOTHING;
  };

  const proveGone = async (key: ObjectKey, signal: AbortSignal): Promise<ActResult> => {
    const live = await getIfExists(consumer, resource, key, { signal });
    if (live === undefined) {
      const proof = await options.prove();
      return { proof: proof.kind === 'byUser' ? { kind: 'byUser', objectGone: true } : proof };
    }
    options.observeConsumer(live);
    // Restored, or made anew: whoever is there now decides about the copy.
    return { memory: { slippedAway: undefined } };
  };

  const nameWriters = async ({ key, contest }: Extract<Action, { type: 'nameWriters' }>, signal: AbortSignal): Promise<ActResult> => {
    const live = await provider.get(resource, key, { signal });
    copies.observe(live);
    return { memory: { contest: { ...contest, writers: writersOf(contest.paths, live.metadata.managedFields ?? []) } } };
  };

  const writeStatus = async (action: Extract<Action, { type: 'writeStatus' }>, signal: AbortSignal): Promise<ActResult> => {
    const { consumer: object, copy } = action;
    const status = copy['status'] as JsonValue | undefined;
    const { name, namespace } = object.metadata;
    const written = options.statusSubresource
      ? await consumer.update(
          resource,
          {
            apiVersion: object.apiVersion,
            kind: object.kind,
            metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...preconditions(object) },
            ...(status === undefined ? {} : { status }),
          },
          { subresource: 'status', signal },
        )
      : await consumer.patch(
          resource,
          keyOf(object),
          { type: 'merge', patch: { metadata: preconditions(object), status: (createMergePatch((object['status'] as JsonValue | undefined) ?? null, status ?? null) ?? status ?? null) } },
          { signal },
        );
    options.observeConsumer(written);
    const stored = equal(written['status'], status);
    return stored ? NOTHING : { memory: { statusRefused: `${copy.metadata.uid ?? ''}/${copy.metadata.resourceVersion ?? ''}` } };
  };

  return async (action, signal) => {
    switch (action.type) {
      case 'requestNamespace':
        return (await options.namespaces.ensure(action.consumerNamespace, options.exportOwner, signal)) === 'assigned' ? NOTHING : { wait: true };
      case 'shareNamespace':
        await options.namespaces.share(action.consumerNamespace, options.exportOwner, signal);
        return NOTHING;
      case 'addFinalizer':
        await patchConsumerMetadata(action.consumer, { finalizers: [...(action.consumer.metadata.finalizers ?? []), ours], ...marksOfObject }, signal);
        return NOTHING;
      case 'removeFinalizer':
        return removeFinalizer(action.consumer, signal);
      case 'createConsumerObject':
        return createConsumerObject(action.object, signal);
      case 'createCopy':
        return createCopy(action, signal);
      case 'inspectCopy':
        return inspectCopy(action, signal);
      case 'inspectMaker':
        return inspectMaker(action, signal);
      case 'patchCopy':
        return patchCopy(action, signal);
      case 'nameWriters':
        return nameWriters(action, signal);
      case 'recordRewritten':
        await recordRewritten(action, signal);
        return NOTHING;
      case 'deleteCopy':
        return deleteCopy(action, signal);
      case 'confirmGone':
        return confirmGone(action, signal);
      case 'proveDeletion':
        return { proof: await options.prove() };
      case 'proveGone':
        return proveGone(action.key, signal);
      case 'writeStatus':
        return writeStatus(action, signal);
      case 'recordCopy':
        await patchConsumerMetadata(action.consumer, { annotations: action.annotations }, signal);
        return NOTHING;
    }
  };
}

/** `object` with a null at `path`, for a merge patch that deletes it. */
function deepAssign(object: JsonObject, path: Path): JsonObject {
  const [head, ...rest] = path;
  if (head === undefined) return object;
  const child = Object.hasOwn(object, head) ? object[head] : undefined;
  const base = typeof child === 'object' && child !== null && !Array.isArray(child) ? (child as JsonObject) : {};
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== head), [head, rest.length === 0 ? null : deepAssign(base, rest)]]);
}

function valueAt(object: UnstructuredObject, path: Path): JsonValue | undefined {
  let node: unknown = object;
  for (const key of path) {
    if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node as JsonValue | undefined;
}
