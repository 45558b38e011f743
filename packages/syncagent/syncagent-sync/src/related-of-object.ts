import type { UnstructuredObject } from '@hawser/client';
import type { Problem } from '@hawser/controller';

import type { Announcer } from './announcer.js';
import type { Decision } from './decision.js';
import { isStored } from './is-stored.js';
import { graceLeftMs, isOverdue, smallest } from './next-look.js';
import type { ObjectMemory } from './object-memory.js';
import type { OpenedObject } from './open-object.js';
import { isOfAnotherAgent } from './other-agent.js';
import { ownerOfPrimary } from './primary.js';
import type { ReconcileOptions } from './reconcile-options.js';
import type { RelatedOutcome } from './related-run.js';
import type { PrimaryPair } from './rules.js';
import { changesSince } from './three-way.js';

/** Why the copy of an object stays for now. */
export interface CleanUpWait {
  readonly problems: readonly Problem[];
  readonly error: Error | undefined;
  readonly requeueAfterMs: number | undefined;
}

/** Decides when the related objects of a published one are synced, and when they go. */
export class RelatedOfObject {
  readonly #options: ReconcileOptions;
  readonly #memory: ObjectMemory;
  readonly #announcer: Announcer;

  constructor(options: ReconcileOptions, memory: ObjectMemory, announcer: Announcer) {
    this.#options = options;
    this.#memory = memory;
    this.#announcer = announcer;
  }

  /** Related objects go before the copy that they belong to. Undefined: none is left to wait for. */
  async cleanUp(opened: OpenedObject, signal: AbortSignal): Promise<CleanUpWait | undefined> {
    const { key, identity, view, draft } = opened;
    const { related, clock, retirement } = this.#options;
    const { source } = view;
    if (source === undefined || !this.#hasAny(opened)) return undefined;
    const before = this.#memory.unresolvedSince(key);
    const overdue = isOverdue(before, clock.now());
    const outcome = await related.run({
      key,
      identity,
      draft,
      primary: this.#pairOf(opened),
      deleting: true,
      overdue,
      letGo: retirement() === 'keep' && source.metadata.deletionTimestamp === undefined,
      signal,
    });
    this.#finish(key, outcome);
    const since = outcome.unresolved.length === 0 ? undefined : (before ?? clock.now());
    this.#memory.setUnresolvedSince(key, since);
    const graceMs = graceLeftMs(since, overdue, clock.now());
    if (!outcome.pending && outcome.problems.length === 0 && outcome.error === undefined && graceMs <= 0)
      return undefined;
    const unresolved = outcome.unresolved.map((problem) => ({
      ...problem,
      message: `${problem.message} The deletion of this object waits for them for a minute, and then goes on without.`,
    }));
    return {
      problems: [...outcome.problems, ...unresolved],
      error: outcome.error,
      requeueAfterMs: smallest(outcome.requeueAfterMs, graceMs > 0 ? graceMs : undefined),
    };
  }

  /** After the work on the object itself. Undefined: it has none, or they wait with it. */
  async sync(
    opened: OpenedObject,
    { verdict }: Decision,
    former: PrimaryPair | undefined,
    signal: AbortSignal,
  ): Promise<RelatedOutcome | undefined> {
    const { key, identity, view, draft } = opened;
    const { related, retirement } = this.#options;
    const primary = this.#pairOf(opened);
    if (!this.#hasAny(opened) || primary === undefined || !view.selected || retirement() !== undefined)
      return undefined;
    if (isGoing(primary.kcp) || isGoing(primary.service)) return undefined;
    if (verdict.kind === 'held' && verdict.reason === 'OtherAgent') return undefined;
    const isPrimaryStored = (): Promise<boolean> =>
      isStored(opened.client, this.#options.primary.kinds.kcp.resource, primary.kcp, signal);
    const outcome = await related.run({
      key,
      identity,
      draft,
      primary,
      former,
      deleting: false,
      isStored: isPrimaryStored,
      signal,
    });
    this.#finish(key, outcome);
    return this.#announcer.announce(opened, primary.kcp, outcome, signal);
  }

  /** Both sides at the last push, if a Go agent did that and the object has changed since. */
  formerOf({ identity, view: { source, destination, last }, draft, path }: OpenedObject): PrimaryPair | undefined {
    const { primary } = this.#options;
    if (primary.rules.related.length === 0 || draft.records.length > 0) return undefined;
    if (last.kind !== 'known' || source === undefined || destination === undefined) return undefined;
    if (
      !draft.remembersMoreThan(ownerOfPrimary(primary, identity)) ||
      changesSince(last.snapshot, source, []) === undefined
    )
      return undefined;
    return {
      kcp: { ...last.snapshot, metadata: { ...source.metadata, ...last.snapshot.metadata } },
      service: destination,
      cluster: identity.cluster,
      path,
    };
  }

  #hasAny({ draft }: OpenedObject): boolean {
    return this.#options.primary.rules.related.length > 0 || draft.records.length > 0;
  }

  /** The pair from which related objects are resolved. */
  #pairOf({ identity, view: { source, destination }, path }: OpenedObject): PrimaryPair | undefined {
    const { agentName } = this.#options.primary;
    return source === undefined || destination === undefined || isOfAnotherAgent(destination, agentName)
      ? undefined
      : { kcp: source, service: destination, cluster: identity.cluster, path };
  }

  #finish(key: string, { looked, pending, nextAttempt }: RelatedOutcome): void {
    this.#options.dependencies.set(key, looked);
    this.#memory.retriesAt(key, nextAttempt);
    if (pending) this.#memory.awaitingSurvey.add(key);
    else this.#memory.awaitingSurvey.delete(key);
  }
}

function isGoing({ metadata }: UnstructuredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
