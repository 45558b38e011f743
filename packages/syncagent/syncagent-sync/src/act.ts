import {
  type Client,
  failureKind,
  getIfExists,
  isAlreadyExists,
  isApiError,
  isObjectNotFound,
  keyOf,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  versionOf,
} from '@hawser/client';
import { type JsonObject, type JsonValue, equal } from '@hawser/json';

import { agreementId, agreementOf, trialWrite } from './agreement.js';
import type { Action } from './decision.js';
import { CLEANUP_FINALIZER } from './marks.js';
import type { LastState, PairMemory } from './observed.js';
import { refusedRequest } from './problem-of.js';
import { isHeldBy } from './creator.js';
import { isWrittenByAgent } from './written-by.js';

/** One side of a pair, with its access for reads and writes. */
export interface PairSide {
  readonly client: Client;
  readonly resource: Resource;
  /** Puts the answer to a write, or of a live read, into the cache. */
  readonly observe: (object: UnstructuredObject) => void;
}

/** Everything that `act` may use for one pair. */
export interface PairPorts {
  readonly source: PairSide;
  readonly sourceKey: ObjectKey;
  readonly destination: PairSide;
  /** Searches live for any copy of this object, wherever it is. */
  readonly search: (key: ObjectKey | undefined, signal: AbortSignal) => Promise<UnstructuredObject | undefined>;
  /** Whether this object in the place of the copy has the marks of this very pair. */
  readonly isCopy: (object: UnstructuredObject) => boolean;
  readonly makeNamespace: (namespace: string, signal: AbortSignal) => Promise<void>;
  /** Runs work while the copy's namespace is protected from removal. */
  readonly within?: (<T>(namespace: string, work: () => Promise<T>) => Promise<T>) | undefined;
  readonly store: (snapshot: UnstructuredObject) => void;
  readonly forget: (signal: AbortSignal) => Promise<void>;
  /** Field manager for writing the copy, if its marks do not show its owner. */
  readonly creator?: string | undefined;
  /** Field manager for setting the finalizer, if it must show who set it. */
  readonly holder?: string | undefined;
}

/** What an action changed or taught. Absent: unchanged; an object that is `null` is gone. */
export interface ActResult {
  readonly source?: UnstructuredObject | null;
  readonly destination?: UnstructuredObject | null;
  readonly last?: LastState;
  readonly remembered?: boolean;
  /** The uid of the object that was created or adopted as the copy. */
  readonly made?: string | undefined;
  readonly memory?: Partial<PairMemory>;
  /** Wait for an event before the next step. */
  readonly wait?: true;
}

/** The only place that writes objects. Throws every failure as the client's ApiError. */
export async function act(action: Action, ports: PairPorts, signal: AbortSignal): Promise<ActResult> {
  switch (action.type) {
    case 'addFinalizer':
      return addFinalizer(ports, action.source, signal);
    case 'releaseFinalizer':
      return releaseFinalizer(ports.source, action.source, signal);
    case 'confirmHolder':
      return confirmHolder(ports, action.source, signal);
    case 'create': {
      const { namespace } = action.object.metadata;
      const work = (): Promise<ActResult> => create(ports, action, signal);
      return namespace === undefined || ports.within === undefined ? work() : ports.within(namespace, work);
    }
    case 'adopt': {
      const patch = { metadata: { ...preconditions(action.destination), ...action.marks } };
      return {
        ...(await patchDestination(ports, action.destination, patch, signal)),
        last: { kind: 'none' },
        memory: { occupant: undefined, gone: undefined },
      };
    }
    case 'patch': {
      const { metadata, ...fields } = action.patch;
      return patchDestination(
        ports,
        action.destination,
        { ...fields, metadata: { ...(metadata as JsonObject | undefined), ...preconditions(action.destination) } },
        signal,
      );
    }
    case 'take':
      return { remembered: true, made: action.destination.metadata.uid };
    case 'confirmWritten':
      return confirmWritten(ports, action.destination, signal);
    case 'confirmAgreement':
      return confirmAgreement(ports, action, signal);
    case 'storeSnapshot':
      return storeSnapshot(action, ports);
    case 'confirmDeletion':
      return confirmDeletion(ports, action, signal);
    case 'delete':
      return remove(ports.destination, action.destination, signal);
    case 'confirmGone': {
      const found = await ports.search(action.key, signal);
      if (found === undefined) return { memory: { gone: 'none' }, destination: null };
      ports.destination.observe(found);
      return { destination: found };
    }
    case 'forget':
      await ports.forget(signal);
      return { last: { kind: 'none' }, remembered: false };
    case 'writeStatusBack':
      return writeStatusBack(ports.source, action, signal);
    case 'writeStatusForward':
      return writeStatusForward(ports.destination, action, signal);
  }
}

async function addFinalizer(
  { source, holder }: PairPorts,
  object: UnstructuredObject,
  signal: AbortSignal,
): Promise<ActResult> {
  const { finalizers = [], uid } = object.metadata;
  const added = await patchFinalizers(source, object, [...finalizers, CLEANUP_FINALIZER], {
    signal,
    fieldManager: holder,
  });
  return { ...added, memory: { finalizerAdded: uid } };
}

/** Remembers the last pushed content. It is written when the run ends. */
export function storeSnapshot({ snapshot }: Extract<Action, { type: 'storeSnapshot' }>, ports: PairPorts): ActResult {
  ports.store(snapshot);
  return { last: { kind: 'known', snapshot }, remembered: true };
}

/**
 * Sends a list patch that fails with a conflict unless the object is the one decided about: a finalizer added meanwhile
 * survives.
 */
async function patchFinalizers(
  { client, resource, observe }: PairSide,
  object: UnstructuredObject,
  finalizers: readonly string[],
  how: { readonly signal: AbortSignal; readonly fieldManager?: string | undefined },
): Promise<ActResult> {
  const patch = { metadata: { ...preconditions(object), finalizers: finalizers.length === 0 ? null : finalizers } };
  // Without a generation an admission's change by this write cannot be detected.
  if (object.metadata.generation === undefined) {
    const source = await client.patch(resource, keyOf(object), { type: 'merge', patch }, how);
    observe(source);
    return { source };
  }
  const { metadata } = await client.patch(
    resource,
    keyOf(object),
    { type: 'merge', patch },
    { representation: 'metadata', ...how },
  );
  // The precondition makes everything but the metadata known, unless an admission has changed it. Then the generation
  // differs, and this answer lacks the current content.
  const isSame = metadata.generation === object.metadata.generation || metadata.deletionTimestamp !== undefined;
  const source: UnstructuredObject = isSame
    ? { ...object, metadata }
    : await client.get(resource, keyOf(object), { signal: how.signal });
  observe(source);
  return { source };
}

async function releaseFinalizer(side: PairSide, object: UnstructuredObject, signal: AbortSignal): Promise<ActResult> {
  const rest = (object.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
  try {
    const result = await patchFinalizers(side, object, rest, { signal });
    // The answer to the removal of the last finalizer still shows the object: only its event shows that it is gone.
    return rest.length === 0 && object.metadata.deletionTimestamp !== undefined
      ? { ...result, memory: { released: object.metadata.uid }, wait: true }
      : { ...result, memory: { finalizerAdded: undefined } };
  } catch (error) {
    if (!isObjectNotFound(error, side.resource, keyOf(object))) throw error;
    return { source: null, wait: true };
  }
}

async function create(
  ports: PairPorts,
  { object, readFirst }: Extract<Action, { type: 'create' }>,
  signal: AbortSignal,
): Promise<ActResult> {
  const { client, resource, observe } = ports.destination;
  const post = (): Promise<UnstructuredObject> =>
    client.create(resource, object, { signal, fieldManager: ports.creator });
  const taken = (occupant: UnstructuredObject): ActResult => {
    if (!ports.isCopy(occupant)) return { memory: { occupant, occupied: true } };
    observe(occupant);
    return { destination: occupant, memory: { gone: undefined, occupant: undefined, occupied: undefined } };
  };
  if (readFirst === true) {
    const there = await getIfExists(client, resource, keyOf(object), { signal });
    if (there !== undefined) return taken(there);
  }
  try {
    let created: UnstructuredObject;
    try {
      created = await post();
    } catch (error) {
      const { namespace } = object.metadata;
      if (namespace === undefined || !isMissingNamespace(error)) throw error;
      await ports.makeNamespace(namespace, signal);
      created = await post();
    }
    observe(created);
    return {
      destination: created,
      remembered: true,
      made: created.metadata.uid,
      memory: { gone: undefined, occupant: undefined, occupied: undefined, attempted: undefined },
    };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return taken(await client.get(resource, keyOf(object), { signal }));
  }
}

async function patchDestination(
  { destination: { client, resource, observe }, creator: fieldManager }: PairPorts,
  object: UnstructuredObject,
  patch: object,
  signal: AbortSignal,
): Promise<ActResult> {
  const destination = await client.patch(resource, keyOf(object), { type: 'merge', patch }, { signal, fieldManager });
  observe(destination);
  return { destination };
}

/** Reads live: a cache does not keep who wrote what. */
async function confirmWritten(
  { destination: { client, resource }, creator }: PairPorts,
  object: UnstructuredObject,
  signal: AbortSignal,
): Promise<ActResult> {
  try {
    const live = await client.get(resource, keyOf(object), { signal });
    const { uid = '' } = live.metadata;
    if (uid !== object.metadata.uid) return { destination: live };
    return { memory: { written: { uid, byAgent: isWrittenByAgent(live, creator) } } };
  } catch (error) {
    if (!isObjectNotFound(error, resource, keyOf(object))) throw error;
    return { destination: null };
  }
}

async function confirmHolder(
  { source: { client, resource }, holder = '' }: PairPorts,
  object: UnstructuredObject,
  signal: AbortSignal,
): Promise<ActResult> {
  const live = await getIfExists(client, resource, keyOf(object), { signal });
  if (live === undefined) return { source: null, wait: true };
  const { uid } = live.metadata;
  if (uid !== object.metadata.uid) return { source: live };
  return { memory: isHeldBy(live, holder) ? { finalizerAdded: uid } : { finalizerOthers: uid } };
}

/** Uses a patch: copies are written by patches, so the right exists. */
async function confirmAgreement(
  ports: PairPorts,
  { destination, wanted, subresources }: Extract<Action, { type: 'confirmAgreement' }>,
  signal: AbortSignal,
): Promise<ActResult> {
  const { client, resource, observe } = ports.destination;
  const live = await getIfExists(client, resource, keyOf(destination), { signal });
  if (live === undefined) return { destination: null, memory: { occupant: undefined } };
  const isCopy = ports.isCopy(live);
  if (isCopy) observe(live);
  const shown = (memory: Partial<PairMemory>): ActResult =>
    isCopy ? { destination: live, memory } : { memory: { ...memory, occupant: live } };
  if (live.metadata.deletionTimestamp !== undefined) return shown({});
  try {
    const answer = await client.patch(
      resource,
      keyOf(live),
      { type: 'json', operations: trialWrite(live, wanted, subresources) },
      { dryRun: true, signal },
    );
    return shown({ agreement: agreementOf(live, answer, wanted, subresources) });
  } catch (error) {
    if (!isApiError(error) || failureKind(error.code) === 'passing') throw error;
    return shown({
      agreement: {
        of: agreementId(live, wanted, subresources),
        kind: 'refused',
        message: refusedRequest(error, 'service'),
      },
    });
  }
}

async function confirmDeletion(
  { source: { client, resource, observe }, sourceKey }: PairPorts,
  { destination }: Extract<Action, { type: 'confirmDeletion' }>,
  signal: AbortSignal,
): Promise<ActResult> {
  const live = await getIfExists(client, resource, sourceKey, { signal });
  const stands = { deletionStands: destination?.metadata.uid };
  if (live === undefined) return { source: null, memory: { ...stands, deletionSeen: true } };
  observe(live);
  return {
    source: live,
    memory: live.metadata.deletionTimestamp === undefined ? { deletionSeen: undefined } : stands,
  };
}

async function remove(
  { client, resource }: PairSide,
  object: UnstructuredObject,
  signal: AbortSignal,
): Promise<ActResult> {
  const { uid, resourceVersion } = object.metadata;
  const gone: ActResult = { memory: { gone: uid ?? 'none' }, destination: null };
  try {
    // uid and version: delete exactly the object whose ownership was checked, or nothing.
    const answer = await client.delete(resource, keyOf(object), {
      preconditions: { uid, resourceVersion },
      propagationPolicy: 'Background',
      signal,
    });
    return answer.kind === 'gone' ? gone : { memory: { copyKey: keyOf(object) }, wait: true };
  } catch (error) {
    if (isObjectNotFound(error, resource, keyOf(object))) return gone;
    throw error;
  }
}

async function writeStatusBack(
  { client, resource, observe }: PairSide,
  { source, destination, status }: Extract<Action, { type: 'writeStatusBack' }>,
  signal: AbortSignal,
): Promise<ActResult> {
  const { name, namespace } = source.metadata;
  const body = {
    apiVersion: source.apiVersion,
    kind: source.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...preconditions(source) },
    ...(status === undefined ? {} : { status }),
  };
  const written = await client.update(resource, body, { subresource: 'status', signal });
  observe(written);
  return { source: written, ...refused(written['status'] as JsonValue | undefined, status, destination) };
}

/**
 * Sends a PUT of the object as read live: fields that the cache drops must not be lost, and a destination may be of any
 * kind.
 */
async function writeStatusForward(
  { client, resource, observe }: PairSide,
  { destination, status, from }: Extract<Action, { type: 'writeStatusForward' }>,
  signal: AbortSignal,
): Promise<ActResult> {
  const live = await client.get(resource, keyOf(destination), { signal });
  if (live.metadata.uid !== destination.metadata.uid) return { wait: true };
  try {
    const body: UnstructuredObject = { ...live, status };
    const written = await client.update(resource, body, { subresource: 'status', signal });
    observe(written);
    return { destination: written, ...refused(written['status'] as JsonValue | undefined, status, from) };
  } catch (error) {
    // The object exists, so the subresource is missing.
    if (!isApiError(error, 'NotFound', 'MethodNotAllowed')) throw error;
    return { memory: { statusRefused: versionOf(from), statusMissing: true } };
  }
}

/** Detects a status that is not stored as sent: it would be written for ever. */
function refused(stored: JsonValue | undefined, sent: JsonValue | undefined, from: UnstructuredObject): ActResult {
  return equal(stored, sent) ? {} : { memory: { statusRefused: versionOf(from) } };
}

function preconditions({ metadata: { uid, resourceVersion } }: UnstructuredObject): JsonObject {
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function isMissingNamespace(error: unknown): boolean {
  return isApiError(error, 'NotFound') && error.status?.details?.kind === 'namespaces';
}
