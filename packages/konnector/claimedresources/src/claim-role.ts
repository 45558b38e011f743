import {
  type Client,
  type KubeObject,
  type OwnerReference,
  type Resource,
  apiVersionOf,
  isNotFound,
  versionOf,
} from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { Meaning } from '@hawser/controller';
import {
  CORRECTION_MEMORY_MS,
  type Corrections,
  type ServiceNamespaces,
  correctedAgain,
  lastingProblemOf,
  noCorrections,
  unhandledProblem,
  refusingSide,
} from '@hawser/konnector-sync';
import type { PairRole, PairSteps, PairWords, TakenStep, StandingProblem } from '@hawser/pair';
import type { ObjectReference } from '@hawser/telemetry';

import type { Act, ActResult } from './act.js';
import type { ClaimCaches } from './claim-caches.js';
import type { CopyCounts } from './copy-counts.js';
import { decide } from './decide.js';
import type { Action, Decision } from './decision.js';
import { endpointOf } from './endpoint-of.js';
import type { Landing } from './landing.js';
import type { Side } from './marks.js';
import type { MissingOriginals } from './missing-originals.js';
import { observePair } from './observe-pair.js';
import { type Observed, type PairMemory, type PairSettings, type Placement } from './observed.js';
import { leaveToCoreKbind, obeyPause, pauseOfPair } from './pauses.js';
import { claimantsOf, type Policies } from './policies.js';
import { problemOf, undoneProblem } from './problem-of.js';
import type { Selection } from './selection.js';
import { effortOf, stepText } from './step-text.js';

export interface ClaimTypes {
  readonly action: Action;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly result: ActResult;
  /** Results of live reads in this run. */
  readonly learned: Pick<Observed, 'contents' | 'originalGone'>;
}

export interface ClaimRoleOptions {
  readonly resource: Resource;
  readonly settings: PairSettings;
  readonly clients: Readonly<Record<Side, Client>>;
  readonly caches: Pick<ClaimCaches, 'keysFor' | 'get' | 'list' | 'isReady'>;
  readonly namespaces: ServiceNamespaces;
  readonly selection: Pick<Selection, 'claimedBy'>;
  readonly counts: CopyCounts;
  readonly missing: MissingOriginals;
  readonly memories: ClaimMemories;
  readonly act: Act;
  /** Read for each look: they may change. */
  readonly policies: () => Policies;
  /** Kind of the claimed objects; undefined: not known yet. */
  readonly kind: () => string | undefined;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  readonly landing: (namespace: string, bindings: readonly string[]) => Landing;
  readonly maxObjects: number;
  /** Copies of a binding, over its claims on all resources. */
  readonly copies: (binding: string) => number;
  readonly onReplaced?: (() => void) | undefined;
  /** Called after reading an object of known kind. */
  readonly onRead?: ((object: KubeObject) => void) | undefined;
  /** `bindings`: their claims select the pair. `hasEvent`: on the consumer's object; undefined: as before. */
  readonly onReported?: ((key: string, bindings: readonly string[], hasEvent: boolean | undefined) => void) | undefined;
  /** Called when the reported problem of the pair is over. */
  readonly onOver?: ((key: string) => void) | undefined;
  readonly clock: Clock;
}

/** State of pairs beyond the caches, by key. Lost at a restart, which costs two reads. */
export class ClaimMemories {
  readonly #memories = new Map<string, PairMemory>();

  get(key: string): PairMemory {
    return this.#memories.get(key) ?? {};
  }

  remember(key: string, change: Partial<PairMemory>): void {
    this.#memories.set(key, { ...this.#memories.get(key), ...change });
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  /** Pairs in sync under one policy may be out of sync under another. */
  judgeAgain(): void {
    for (const key of this.#memories.keys()) this.remember(key, { inStep: undefined, parked: undefined });
  }
}

/** Claimed objects and their copies on the other side, by `namespace/name` on the consumer. */
export class ClaimRole implements PairRole<ClaimTypes> {
  readonly nothingLearned = {};
  readonly steps: PairSteps<ClaimTypes>;
  readonly words: PairWords<ClaimTypes>;
  readonly #options: ClaimRoleOptions;

  constructor(options: ClaimRoleOptions) {
    this.#options = options;
    this.steps = {
      textOf: stepText,
      effortOf,
      endpointOf,
      clientOf: (_, error) => options.clients[refusingSide(error)],
    };
    this.words = {
      subjectOf: (key, observed) => this.#subjectOf(key, observed),
      reported: (key, observed, hasEvent) => {
        this.#options.onReported?.(
          key,
          observed === undefined ? this.#claimantsNow(key) : claimantsOf(observed),
          hasEvent,
        );
      },
      over: (key) => {
        options.onOver?.(key);
      },
      refused: (action, error): Meaning => ({
        atOnce: problemOf(error, action),
        later: lastingProblemOf(error, refusingSide(error)),
      }),
      undone: (_key, _observed, action) => Promise.resolve(undoneProblem(action)),
      stalled: undoneProblem,
      unhandled: unhandledProblem,
      standing: (_, { verdict }): StandingProblem | undefined =>
        verdict.kind === 'held' ? { problem: verdict, onObject: true } : undefined,
    };
  }

  observe(key: string, { contents, originalGone }: ClaimTypes['learned']): Observed {
    const { caches, namespaces, selection, protection, landing, memories, missing, exportOwner, clock } = this.#options;
    const keys = caches.keysFor(key);
    const { namespace, name } = keys.consumer;
    const placement: Placement =
      keys.provider === undefined
        ? { kind: 'unassigned', since: namespaces.pendingSince(namespace) }
        : { kind: 'assigned', namespace: keys.provider.namespace };
    const onProvider = caches.get('provider', keys.provider);
    const claimants = onProvider === undefined ? [] : selection.claimedBy('provider', namespace, onProvider);
    const observed = observePair(
      {
        name,
        consumerNamespace: namespace,
        cached: { consumer: caches.get('consumer', keys.consumer), provider: onProvider },
        placement,
        cacheReady: {
          consumer: caches.isReady('consumer', namespace),
          provider: caches.isReady('provider', keys.provider?.namespace),
        },
        full: onProvider === undefined ? undefined : this.#fullFor(key, claimants[0]),
        landing: claimants.length === 0 ? undefined : landing(namespace, claimants),
        memory: memories.get(key),
        deletion: missing.answer(key),
        contents,
        originalGone,
        now: clock.monotonic(),
      },
      {
        claimedBy: (side, object) => selection.claimedBy(side, namespace, object),
        protection: (side, object) => protection(side, namespace, object),
        objectsIn: (side, inNamespace) => caches.list(side, inNamespace),
      },
    );
    const [claimant] = claimantsOf(observed);
    const owner = claimant === undefined ? undefined : exportOwner(claimant);
    return owner !== undefined && namespaces.unshared(namespace, owner) === 'ours'
      ? { ...observed, unshared: claimant }
      : observed;
  }

  decide(observed: Observed): Decision {
    const policies = this.#options.policies();
    const decision = obeyPause(decide(observed, this.#options.settings, policies), pauseOfPair(observed, policies));
    return leaveToCoreKbind(decision, observed, policies);
  }

  async act(action: Action, key: string, signal: AbortSignal): Promise<ActResult> {
    const { act, caches, counts } = this.#options;
    if (action.type !== 'createCopy' || action.side !== 'consumer') return act(action, caches.keysFor(key), signal);
    // Counted before the write: pairs in progress then see it.
    counts.set(key, action.binding);
    try {
      return await act(action, caches.keysFor(key), signal);
    } catch (error) {
      if (caches.get('consumer', caches.keysFor(key).consumer) === undefined) counts.delete(key);
      throw error;
    }
  }

  learn(
    key: string,
    { action, result }: TakenStep<ClaimTypes>,
    { contents }: ClaimTypes['learned'],
  ): ClaimTypes['learned'] {
    const { missing, onReplaced, onRead } = this.#options;
    for (const object of Object.values(result.contents ?? {})) onRead?.(object);
    if (result.written !== undefined) this.#wrote(key, action, result.written);
    if (action.type === 'deleteCopy' && action.why === 'originalGone') missing.deleted(key);
    if (result.replaced === true) onReplaced?.();
    return { contents: { ...contents, ...result.contents }, originalGone: result.originalGone };
  }

  async readAgain(
    key: string,
    _: Action,
    { originalGone }: ClaimTypes['learned'],
    signal: AbortSignal,
  ): Promise<ClaimTypes['learned']> {
    const { act, caches } = this.#options;
    const keys = caches.keysFor(key);
    const sides = (['consumer', 'provider'] as const).filter((side) => caches.get(side, keys[side]) !== undefined);
    const { contents } = await act({ type: 'read', sides }, keys, signal);
    return { contents: contents ?? {}, originalGone };
  }

  isGone(error: unknown, action: Action): boolean {
    return isNotFound(error) && action.type !== 'createCopy' && action.type !== 'requestNamespace';
  }

  settled(key: string, { cached: { consumer, provider }, now }: Observed, decision: Decision): void {
    const { missing, memories } = this.#options;
    const { verdict, remember: learned } = decision;
    missing.settled(key, decision, (consumer ?? provider)?.metadata.uid);
    if (missing.has(key) !== (memories.get(key).missingSince !== undefined))
      memories.remember(key, { missingSince: missing.has(key) ? now : undefined });
    if (learned !== undefined) memories.remember(key, learned);
    if (verdict.kind === 'absent' || verdict.kind === 'notSelected') memories.forget(key);
    else if (
      (verdict.kind === 'inStep' || verdict.kind === 'rewritten') &&
      consumer !== undefined &&
      provider !== undefined
    ) {
      memories.remember(key, {
        inStep: { consumer: versionOf(consumer), provider: versionOf(provider) },
        seen: undefined,
        deleted: undefined,
        parked: undefined,
      });
    }
  }

  /** The limit that another copy under that key would exceed. */
  #fullFor(key: string, binding: string | undefined): Observed['full'] {
    const { counts, copies, maxObjects } = this.#options;
    if (binding === undefined || counts.bindingOf(key) !== undefined) return undefined;
    return copies(binding) < maxObjects ? undefined : { binding, max: maxObjects };
  }

  /** Spaces repeated corrections of the same content further and further: two writers cause no hot loop. */
  #wrote(key: string, action: Action, copy: string): void {
    if (action.type !== 'createCopy' && action.type !== 'patchCopy') return;
    const { memories, clock } = this.#options;
    const now = clock.monotonic();
    const before = memories.get(key);
    const isOld = Math.max(before.correctNotBefore ?? 0, before.contest?.until ?? 0) + CORRECTION_MEMORY_MS < now;
    const { isCorrection, paths } =
      action.type === 'patchCopy'
        ? { isCorrection: action.correction, paths: action.wrong }
        : { isCorrection: before.lastWrite?.from === action.from, paths: [] };
    const corrections: Corrections = isCorrection
      ? correctedAgain(isOld ? noCorrections : before, paths, now)
      : noCorrections;
    memories.remember(key, {
      ...corrections,
      parked: undefined,
      lastWrite: { from: action.from, hash: action.hash, copy, partly: action.type === 'patchCopy' && action.partly },
    });
  }

  /** If the consumer has no such object, the binding's condition and its Event carry the report. */
  #subjectOf(key: string, observed: Observed | undefined): ObjectReference | undefined {
    const { resource, kind, caches } = this.#options;
    const consumer =
      observed === undefined ? caches.get('consumer', caches.keysFor(key).consumer) : observed.cached.consumer;
    const known = kind();
    if (consumer === undefined || known === undefined) return undefined;
    const { name, namespace, uid } = consumer.metadata;
    return { apiVersion: apiVersionOf(resource), kind: known, name, namespace, uid };
  }

  #claimantsNow(key: string): readonly string[] {
    const { caches, selection } = this.#options;
    const keys = caches.keysFor(key);
    const claimedBy = (['consumer', 'provider'] as const).flatMap((side) => {
      const object = caches.get(side, keys[side]);
      return object === undefined ? [] : selection.claimedBy(side, keys.consumer.namespace, object);
    });
    return [...new Set(claimedBy)];
  }
}
