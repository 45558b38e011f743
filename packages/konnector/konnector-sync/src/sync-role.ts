import {
  type Client,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
  getIfExists,
  isObjectNotFound,
} from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Meaning, type Problem, WriteBudget } from '@hawser/controller';
import type { PairRole, PairSteps, PairWords, TakenStep, StandingProblem } from '@hawser/pair';
import type { ObjectReference } from '@hawser/telemetry';

import type { Act, ActResult } from './act.js';
import type { Copies } from './copies.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { lastOtherWriter } from './field-ownership.js';
import type { KeyMapper } from './isolation.js';
import { parseKey } from './keys.js';
import type { DeletionProof, Observed, PairSettings } from './observed.js';
import { endpointOf } from './endpoint-of.js';
import type { Orphans } from './orphans.js';
import { everyObject, type Router } from './routing.js';
import type { PairMemories } from './pair-memories.js';
import {
  type HeldSchema,
  lastingProblemOf,
  problemOf,
  sideOf,
  stalledProblem,
  undoneProblem,
  unhandledProblem,
} from './problem-of.js';
import type { ServiceNamespaces } from './service-namespaces.js';
import { effortOf, stepText } from './step-text.js';

export interface SyncTypes {
  readonly action: Action;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly result: ActResult;
  /** Whether the deletion of the object is the user's wish. */
  readonly learned: DeletionProof | undefined;
}

/** The known consumer objects of one resource. */
export interface ConsumerObjects {
  /** See `Informer.isCurrent`. */
  isCurrent(): boolean;
  get(key: string): UnstructuredObject | undefined;
  /** Takes in the answer to our own request. */
  observe(object: UnstructuredObject): void;
  /** Key of the object with that uid. */
  byUid(uid: string): ObjectKey | undefined;
}

export interface SyncRoleOptions {
  readonly resource: Resource;
  /** Called for each look: the policy may change. */
  readonly settings: () => PairSettings;
  readonly clients: Readonly<Record<'consumer' | 'provider', Client>>;
  readonly objects: ConsumerObjects;
  readonly copies: Copies;
  readonly mapper: KeyMapper;
  readonly namespaces: ServiceNamespaces;
  readonly exportOwner: OwnerReference;
  readonly memories: PairMemories;
  readonly orphans: Orphans;
  /** Default: this sync serves all objects. */
  readonly router?: Router | undefined;
  readonly act: Act;
  readonly heldSchema: (() => HeldSchema | undefined) | undefined;
  readonly clock: Clock;
}

/** Rate limit for status writes of one object, however often the provider changes it. */
const STATUS_WRITES = { burst: 20, refillMs: 500 } as const;

/** The pairs of consumer objects and their copies on the provider, by `namespace/name` of the object, or `name`. */
export class SyncRole implements PairRole<SyncTypes> {
  readonly nothingLearned = undefined;
  readonly steps: PairSteps<SyncTypes>;
  readonly words: PairWords<SyncTypes>;
  readonly #options: SyncRoleOptions;
  readonly #statuses = new WriteBudget(STATUS_WRITES);

  constructor(options: SyncRoleOptions) {
    this.#options = options;
    const { clients, clock, heldSchema } = options;
    const { finalizer } = options.settings().dialect;
    this.steps = {
      textOf: stepText,
      effortOf,
      endpointOf,
      clientOf: (action) => clients[sideOf(action)],
      // The place of the copy can be recorded when nothing else is to do.
      isBackground: ({ type }) => type === 'recordCopy',
      waitMs: (key, { type }) => (type === 'writeStatus' ? this.#statuses.waitMs(key, clock.monotonic()) : 0),
    };
    this.words = {
      subjectOf: (key, observed) => referenceTo(observed === undefined ? options.objects.get(key) : observed.consumer),
      refused: (action, error): Meaning => ({
        atOnce: problemOf(error, action, finalizer, heldSchema?.()),
        later: lastingProblemOf(error, sideOf(action)),
      }),
      undone: async (_, observed, action, atOnce, signal): Promise<Problem> =>
        undoneProblem(action, atOnce ? undefined : await this.#lastWriter(observed, action, signal), finalizer),
      stalled: stalledProblem,
      unhandled: unhandledProblem,
      standing: standingProblem,
    };
  }

  observe(key: string, proof: DeletionProof | undefined): Observed {
    const { objects, mapper, memories, copies, namespaces, exportOwner, orphans, clock } = this.#options;
    const { router = everyObject } = this.#options;
    const consumerKey = parseKey(key);
    const consumer = objects.get(key);
    const placement = mapper.toProvider(consumerKey);
    const memory = memories.get(key) ?? {};
    const copyKey = placement.kind === 'placed' ? placement.key : undefined;
    const copy = copyKey === undefined ? undefined : copies.get(copyKey);
    return {
      consumerKey,
      consumer,
      isConsumerDoubtful: !objects.isCurrent(),
      placement,
      copy,
      otherOriginal: copy === undefined ? undefined : this.#otherOriginal(copy, consumer),
      namespaceUnshared:
        consumer === undefined ||
        this.#options.settings().isolation !== 'ServiceNamespace' ||
        consumerKey.namespace === undefined
          ? undefined
          : namespaces.unshared(consumerKey.namespace, exportOwner),
      namespaceMissing:
        this.#options.settings().isolation === 'Identity' &&
        consumerKey.namespace !== undefined &&
        namespaces.toProvider(consumerKey.namespace) === undefined,
      copyCacheReady: copyKey !== undefined && copies.ready(copyKey.namespace),
      // A standing object loses its copy because its binding goes: a backup may restore that at any time.
      deletionProof:
        proof ??
        (memory.deletedByUser !== undefined &&
        memory.deletedByUser === consumer?.metadata.uid &&
        consumer.metadata.deletionTimestamp !== undefined
          ? { kind: 'byUser' }
          : undefined),
      route: consumer === undefined ? undefined : router.of(consumer),
      seesToOrphan: router.seesToOrphan(consumerKey),
      orphanDeletion: consumer === undefined ? orphans.answer(key) : undefined,
      memory,
      now: clock.monotonic(),
      wallNow: clock.now(),
    };
  }

  decide(observed: Observed): Decision {
    return decide(observed, this.#options.settings());
  }

  act(action: Action, _: string, signal: AbortSignal): Promise<ActResult> {
    return this.#options.act(action, signal);
  }

  learn(
    key: string,
    { observed, action, result }: TakenStep<SyncTypes>,
    proof: DeletionProof | undefined,
  ): DeletionProof | undefined {
    const { memories, orphans, clock } = this.#options;
    if (action.type === 'writeStatus') this.#statuses.spend(key, clock.monotonic());
    if (action.type === 'deleteCopy' && observed.consumer === undefined) orphans.deleted(key);
    if (result.proof?.kind === 'byUser') memories.remember(key, { deletedByUser: observed.consumer?.metadata.uid });
    if (result.memory !== undefined) memories.remember(key, result.memory);
    if (action.type === 'patchCopy') memories.wrote(key, action);
    return result.proof ?? proof;
  }

  async readAgain(
    key: string,
    action: Action,
    proof: DeletionProof | undefined,
    signal: AbortSignal,
  ): Promise<DeletionProof | undefined> {
    const { clients, resource, mapper, objects, copies } = this.#options;
    const side = sideOf(action);
    const placement = mapper.toProvider(parseKey(key));
    const target: ObjectKey | undefined =
      side === 'consumer' ? parseKey(key) : placement.kind === 'placed' ? placement.key : undefined;
    const live = target === undefined ? undefined : await getIfExists(clients[side], resource, target, { signal });
    if (live !== undefined) (side === 'consumer' ? objects : copies).observe(live);
    return proof;
  }

  isGone(error: unknown, action: Action, key: string): boolean {
    return sideOf(action) === 'consumer' && isObjectNotFound(error, this.#options.resource, parseKey(key));
  }

  settled(key: string, observed: Observed, { verdict }: Decision): void {
    const { copies, orphans, memories } = this.#options;
    const { consumer, copy } = observed;
    if (verdict.kind === 'inStep' && consumer !== undefined && copy !== undefined)
      copies.share(copy.metadata, consumer);
    orphans.settled(key, observed, verdict);
    if (verdict.kind !== 'progressing') memories.settled(key, verdict);
  }

  /** The other object whose uid the copy bears. Looked up only if it is not the uid of the object in its place. */
  #otherOriginal(copy: UnstructuredObject, consumer: UnstructuredObject | undefined): ObjectKey | undefined {
    const { objects, settings } = this.#options;
    const { marks } = settings().dialect;
    const uid = copy.metadata.annotations?.[marks.consumerUID] ?? '';
    if (uid === '' || uid === consumer?.metadata.uid) return undefined;
    return objects.byUid(uid);
  }

  /** The last other field manager of the fields that the step writes; empty: it has no name. */
  async #lastWriter({ consumer, copy }: Observed, action: Action, signal: AbortSignal): Promise<string> {
    const side = sideOf(action);
    const target = side === 'consumer' ? consumer : copy;
    if (target === undefined) return '';
    const { name, namespace } = target.metadata;
    // The name only helps; the report does without it.
    const live = await getIfExists(
      this.#options.clients[side],
      this.#options.resource,
      { namespace, name },
      { signal },
    ).catch(() => undefined);
    return lastOtherWriter(live?.metadata.managedFields ?? []);
  }
}

function standingProblem(_: Observed, { verdict, withheld = [] }: Decision): StandingProblem | undefined {
  if (verdict.kind === 'orphan')
    return { problem: { reason: 'Orphaned', message: verdict.message, actor: 'consumer' }, onObject: false };
  if (verdict.kind !== 'held' || verdict.actor === 'nobody') return undefined;
  // A pause of all objects is reported where it was set; here only what it holds back.
  const pausedWithOthers = verdict.reason === 'Paused' && verdict.actor === 'operator';
  return pausedWithOthers && withheld.length === 0 ? undefined : { problem: verdict, onObject: !pausedWithOthers };
}

function referenceTo(object: UnstructuredObject | undefined): ObjectReference | undefined {
  if (object === undefined) return undefined;
  const { name, namespace, uid } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name, namespace, uid };
}
