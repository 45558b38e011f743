import { apiVersionOf, type Client, isNotFound, type KubeObject, type Resource, versionOf } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import type { DeletionBudget, Meaning } from '@hawser/controller';
import {
  CORRECTION_MEMORY_MS,
  correctedAgain,
  lastingProblemOf,
  noCorrections,
  type Pause,
  unhandledProblem,
  refusingSide,
} from '@hawser/konnector-sync';
import type { PairRole, PairSteps, PairWords, TakenStep, StandingProblem } from '@hawser/pair';
import type { ObjectReference } from '@hawser/telemetry';
import type { ActResult, Actor, PairLocation } from './act.js';
import { decide } from './decide.js';
import type { Action, Decision, Observed, PairMemory, SideObserved, Verdict } from './decision.js';
import { bindingOf, isWrittenByKonnector, markingOf, type Owner } from './marks.js';
import { obeyPause } from './pause.js';
import { otherSide, relatedKinds, type RelatedKind, type RuleSet, selects, type Side } from './rules.js';
import { effortOf, endpointOf, problemOf, stepText, undoneProblem } from './words.js';

export interface RelatedTypes {
  readonly action: Action;
  readonly observed: Observed;
  readonly decision: Decision;
  readonly result: ActResult;
  /** Live reads of this run. */
  readonly learned: Pick<Observed, 'contents' | 'proof'>;
}

export interface RelatedRoleOptions {
  readonly kind: RelatedKind;
  readonly resource: Resource;
  readonly owner: Owner;
  readonly clients: Readonly<Record<Side, Client>>;
  readonly actor: Actor;
  readonly cached: (side: Side, location: PairLocation) => KubeObject | undefined;
  readonly isReady: (side: Side) => boolean;
  /** Read anew for each decision: the rules may change. */
  readonly rules: () => RuleSet;
  /** Pause of the binding; read anew for each decision. */
  readonly pause: () => Pause | undefined;
  readonly isBinding: (uid: string) => boolean;
  /** Whether the binding of that uid names a Connection to the same provider. */
  readonly leadsHere: (uid: string) => boolean;
  readonly protection: (from: Side, kind: RelatedKind, original: KubeObject) => string | undefined;
  /** Limit of copies on the consumer, if it is reached. */
  readonly full: () => number | undefined;
  /** Called with the verdict on a pair when no step follows now. */
  readonly standing: (key: string, verdict: Verdict) => void;
  readonly budget: DeletionBudget;
  readonly clock: Clock;
}

/** Related objects of one resource of one binding, by `namespace/name`. */
export class RelatedRole implements PairRole<RelatedTypes> {
  readonly nothingLearned = {};
  readonly steps: PairSteps<RelatedTypes>;
  readonly words: PairWords<RelatedTypes>;
  readonly #options: RelatedRoleOptions;
  readonly #memories = new Map<string, PairMemory>();
  /** Keys that wait for the budget. */
  readonly #waiting = new Set<string>();

  constructor(options: RelatedRoleOptions) {
    this.#options = options;
    this.steps = {
      textOf: stepText,
      effortOf,
      endpointOf,
      clientOf: (_, error) => options.clients[refusingSide(error)],
    };
    this.words = {
      subjectOf: (key) => this.#subjectOf(key),
      refused: (_action, error): Meaning => ({
        atOnce: problemOf(error),
        later: lastingProblemOf(error, refusingSide(error)),
      }),
      undone: (_key, _observed, action) => Promise.resolve(undoneProblem(action)),
      stalled: undoneProblem,
      unhandled: unhandledProblem,
      standing: (_, { verdict }): StandingProblem | undefined =>
        // Protected objects under a wide rule would cause an Event on each of many objects.
        verdict.kind === 'held'
          ? { problem: verdict, onObject: verdict.reason !== 'RelatedObjectProtected' }
          : undefined,
    };
  }

  /** Objects in step under other rules may need changes now. */
  judgeAgain(): void {
    for (const key of this.#memories.keys()) this.#remember(key, { inStep: undefined });
  }

  /** The watch reported a deletion. */
  heardOfDeletion(key: string, side: Side): void {
    this.#remember(key, { deleted: [side, ...(this.#memories.get(key)?.deleted ?? [])] });
  }

  /** Stops judging all pairs. */
  leave(): void {
    this.#options.budget.leave([...this.#waiting].map((key) => this.#idOf(key)));
    this.#waiting.clear();
  }

  get waiting(): readonly string[] {
    return [...this.#waiting];
  }

  observe(key: string, { contents, proof }: RelatedTypes['learned']): Observed {
    const { kind, rules, isReady, full, budget, clock } = this.#options;
    const location = locationOf(key);
    const set = rules();
    const sides = (['consumer', 'provider'] as const).flatMap((side) => {
      const object = this.#options.cached(side, location);
      return object === undefined ? [] : [[side, this.#observeSide(side, object, set)] as const];
    });
    return {
      kind: relatedKinds[kind],
      ...location,
      sides: Object.fromEntries(sides),
      cacheReady: { consumer: isReady('consumer'), provider: isReady('provider') },
      unclear: set.unclear,
      full: full(),
      memory: this.#memories.get(key) ?? {},
      contents,
      proof,
      deletion: this.#waiting.has(key) ? budget.answer(this.#idOf(key)) : undefined,
      now: clock.monotonic(),
    };
  }

  decide(observed: Observed): Decision {
    return obeyPause(decide(observed, this.#options.owner), observed, this.#options.pause());
  }

  act(action: Action, key: string, signal: AbortSignal): Promise<ActResult> {
    return this.#options.actor.act(action, locationOf(key), signal);
  }

  learn(
    key: string,
    { action, result }: TakenStep<RelatedTypes>,
    { contents, proof }: RelatedTypes['learned'],
  ): RelatedTypes['learned'] {
    if (action.type === 'createCopy' || action.type === 'patchCopy') this.#wrote(key, action);
    if (action.type === 'deleteCopy' && this.#waiting.delete(key)) this.#options.budget.spend(this.#idOf(key));
    if (action.type === 'read')
      for (const [side, object] of Object.entries(result.contents ?? {}))
        if (this.#marking(object) === 'own' && !isWrittenByKonnector(object) && !this.#isWanted(side as Side, key))
          this.#remember(key, { unproven: versionOf(object) });
    return { contents: { ...contents, ...result.contents }, proof: result.proof ?? proof };
  }

  async readAgain(
    key: string,
    _action: Action,
    _learned: RelatedTypes['learned'],
    signal: AbortSignal,
  ): Promise<RelatedTypes['learned']> {
    const location = locationOf(key);
    const sides = (['consumer', 'provider'] as const).filter(
      (side) => this.#options.cached(side, location) !== undefined,
    );
    const { contents } = await this.#options.actor.read(sides, location, signal);
    return { contents };
  }

  isGone(error: unknown, action: Action): boolean {
    return isNotFound(error) && action.type !== 'createCopy';
  }

  settled(key: string, { sides, now }: Observed, { verdict }: Decision): void {
    const { consumer, provider } = sides;
    if (verdict.kind === 'absent' || verdict.kind === 'notSelected') this.#memories.delete(key);
    else if (verdict.kind === 'inStep' && consumer !== undefined && provider !== undefined)
      this.#remember(key, {
        inStep: { consumer: versionOf(consumer.object), provider: versionOf(provider.object) },
        deleted: undefined,
        unproven: undefined,
      });
    this.#settleMissing(key, verdict, consumer ?? provider, now);
    this.#options.standing(key, verdict);
  }

  /** Copies whose originals are missing wait for the budget. */
  #settleMissing(key: string, verdict: Decision['verdict'], copy: SideObserved | undefined, now: number): void {
    const { budget } = this.#options;
    if (verdict.kind === 'orphan' && copy !== undefined) {
      if (this.#memories.get(key)?.missingSince === undefined) this.#remember(key, { missingSince: now });
      this.#waiting.add(key);
      budget.waits(this.#idOf(key), copy.object.metadata.uid ?? '');
    } else if (verdict.kind !== 'progressing') {
      if (this.#waiting.delete(key)) budget.withdraw(this.#idOf(key));
      if (this.#memories.has(key)) this.#remember(key, { missingSince: undefined });
    }
  }

  #observeSide(side: Side, object: KubeObject, set: RuleSet): SideObserved {
    const marking = this.#marking(object);
    return {
      object,
      marking,
      selected: selects(set, side, object),
      // A copy on the consumer may come from another provider, and go on to this one.
      isEcho: marking === 'another' && (side === 'provider' || this.#options.leadsHere(bindingOf(object))),
      protection: this.#options.protection(side, this.#options.kind, object),
    };
  }

  #marking(object: KubeObject): SideObserved['marking'] {
    return markingOf(object, this.#options.owner, this.#options.isBinding);
  }

  /** Whether the original of the copy on that side is selected. */
  #isWanted(side: Side, key: string): boolean {
    const from = otherSide(side);
    const original = this.#options.cached(from, locationOf(key));
    return original !== undefined && selects(this.#options.rules(), from, original);
  }

  /** Writing the same contents again is a correction. Corrections back off, so that two writers make no hot loop. */
  #wrote(key: string, action: Extract<Action, { type: 'createCopy' | 'patchCopy' }>): void {
    const now = this.#options.clock.monotonic();
    const before = this.#memories.get(key) ?? {};
    const isOld = (before.correctNotBefore ?? 0) + CORRECTION_MEMORY_MS < now;
    const isCorrection = before.lastWrite?.from === action.from && before.lastWrite.hash === action.hash;
    const paths = action.type === 'patchCopy' ? action.wrong : [];
    const corrections = isCorrection ? correctedAgain(isOld ? noCorrections : before, paths, now) : noCorrections;
    this.#remember(key, { ...corrections, lastWrite: { from: action.from, hash: action.hash } });
  }

  #remember(key: string, change: Partial<PairMemory>): void {
    this.#memories.set(key, { ...this.#memories.get(key), ...change });
  }

  #idOf(key: string): string {
    return `${this.#options.kind} ${key}`;
  }

  /** If the consumer has no such object, the condition of the binding reports it. */
  #subjectOf(key: string): ObjectReference | undefined {
    const { kind, resource, cached } = this.#options;
    const object = cached('consumer', locationOf(key));
    if (object === undefined) return undefined;
    const { name, namespace, uid } = object.metadata;
    return { apiVersion: apiVersionOf(resource), kind: relatedKinds[kind], name, namespace, uid };
  }
}

export function locationOf(key: string): PairLocation {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
