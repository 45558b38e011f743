import { isApiError, type KubeObject, objectKey, type Resource } from '@hawser/client';
import type { DeletionBudget, ObjectProblem, Problem, Setup } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import type { ProviderLink } from '@hawser/kbind-connection';
import type { Pause, ServiceNamespaces } from '@hawser/konnector-sync';
import { PairEngine } from '@hawser/pair';
import { Actor, type ActorOptions } from './act.js';
import { Copies } from './copies.js';
import type { Verdict } from './decision.js';
import { markingOf, type Owner } from './marks.js';
import { locationOf, RelatedRole, type RelatedTypes } from './role.js';
import { noRules, otherSide, type RelatedKind, type RuleSet, selects, type Side } from './rules.js';
import { refused } from './words.js';

export interface RelatedSyncOptions extends Pick<ActorOptions, 'readRules' | 'isSameCluster'> {
  readonly setup: Setup<'consumer'>;
  readonly kind: RelatedKind;
  /** Namespace of a Binding: the sync reads nothing else. */
  readonly namespace: string | undefined;
  readonly owner: Owner;
  readonly link: ProviderLink;
  readonly namespaces: Readonly<Record<Side, ServiceNamespaces>>;
  readonly isBinding: (uid: string) => boolean;
  /** Whether the binding of that uid names a Connection to the same provider. */
  readonly leadsHere: (uid: string) => boolean;
  readonly protection: (from: Side, kind: RelatedKind, original: KubeObject) => string | undefined;
  readonly budget: DeletionBudget;
  /** Limit of copies on the consumer. */
  readonly maxObjects: number;
  /** Called when {@link RelatedSync.problems} or `left` may have changed. */
  readonly changed: () => void;
}

const SIDES: readonly Side[] = ['consumer', 'provider'];
const CONCURRENCY = 4;

/**
 * Keeps the related objects of one resource of one binding in step, both directions (spec/kbind-v2.md §19). Watches the
 * metadata of all objects; reads contents only of objects that rules select.
 */
export class RelatedSync {
  readonly #options: RelatedSyncOptions;
  readonly #caches: Readonly<Record<Side, InformerHandle<KubeObject>>>;
  readonly #role: RelatedRole;
  readonly #engine: PairEngine<RelatedTypes>;
  readonly #closing = new AbortController();
  readonly #subscriptions: { close(): void }[] = [];
  readonly #copies = new Copies();
  #rules: RuleSet = noRules;
  #pause: Pause | undefined;

  constructor(options: RelatedSyncOptions) {
    const { setup, kind, namespace, link, budget } = options;
    const { consumer } = setup.clusters;
    this.#options = options;
    const resource: Resource = { group: '', version: 'v1', resource: kind };
    const spec = { resource, projection: 'metadata', ...(namespace === undefined ? {} : { namespace }) } as const;
    this.#caches = {
      consumer: consumer.informers.acquire<KubeObject>(spec),
      provider: link.cluster.informers.acquire<KubeObject>(spec),
    };
    this.#role = this.#createRole(resource);
    this.#engine = this.#createEngine();
    for (const side of SIDES) this.#follow(side);
    this.#subscriptions.push(
      budget.onChange((released) => {
        if (released) for (const key of this.#role.waiting) this.#noticed(key);
        options.changed();
      }),
    );
  }

  /** Replaces the rules, and the pause of the binding. Collects copies that the rules no longer select. */
  setRules(rules: RuleSet, pause: Pause | undefined): void {
    this.#rules = rules;
    this.#pause = pause;
    this.#role.judgeAgain();
    this.#copies.judgeAgain();
    this.#engine.recheck(new Set([...this.#keys(), ...this.#engine.problems().map(({ object }) => object)]));
    this.#engine.surveyAgain();
  }

  problems(): readonly ObjectProblem[] {
    return this.#engine.problems();
  }

  /** Problems that keep whole caches from being filled. */
  troubles(): readonly Problem[] {
    return SIDES.flatMap((side) => {
      const { state } = this.#caches[side];
      return state.phase === 'waiting' && isApiError(state.error, 'Unauthorized', 'Forbidden')
        ? [refused(state.error, side)]
        : [];
    });
  }

  /** True once every object was judged: only then does an absence of problems count. */
  get surveyed(): boolean {
    return this.#engine.surveyed;
  }

  /**
   * Number of copies of this binding that are left; undefined: unknown. Does not count copies kept for lack of proof,
   * or owned by a controller.
   */
  get left(): number | undefined {
    if (!SIDES.every((side) => this.#caches[side].hasSynced)) return undefined;
    return this.#copies.left;
  }

  /** Resolves when nothing is in flight. Leaves all objects as they are. */
  async stop(): Promise<void> {
    this.#closing.abort(new Error('related objects are no longer served'));
    for (const subscription of this.#subscriptions.splice(0)) subscription.close();
    await this.#engine.stop();
    this.#role.leave();
    for (const side of SIDES) this.#caches[side].release();
  }

  #createRole(resource: Resource): RelatedRole {
    const { setup, link, maxObjects } = this.#options;
    const clients = { consumer: setup.clusters.consumer.client, provider: link.cluster.client };
    const actor = new Actor({
      ...this.#options,
      clients,
      resource,
      observe: (side, object) => {
        this.#caches[side].observe(object);
      },
    });
    return new RelatedRole({
      ...this.#options,
      resource,
      clients,
      actor,
      cached: (side, location) => this.#caches[side].get(location),
      isReady: (side) => this.#caches[side].hasSynced,
      rules: () => this.#rules,
      pause: () => this.#pause,
      full: () => (this.#copies.on('consumer').size >= maxObjects ? maxObjects : undefined),
      standing: (key, verdict) => {
        if (this.#copies.settle(key, isKept(verdict))) this.#options.changed();
      },
      clock: setup.clock,
    });
  }

  #createEngine(): PairEngine<RelatedTypes> {
    const { setup, kind, link } = this.#options;
    const { clusters, clock, random, logger, metrics } = setup;
    const { consumer } = clusters;
    return new PairEngine<RelatedTypes>(this.#role, {
      name: `related-${kind}`,
      concurrency: CONCURRENCY,
      // Until this cache is filled, every copy would look left over.
      ready: this.#caches.consumer.synced(this.#closing.signal),
      isFilled: () => SIDES.every((side) => isSettled(this.#caches[side])),
      recoveries: [consumer.client.recovery, link.cluster.client.recovery],
      events: consumer.events,
      changed: this.#options.changed,
      clock,
      random,
      logger: logger.child({ resource: kind }),
      metrics,
    });
  }

  /** Keys of all selected objects, and of all copies. */
  #keys(): readonly string[] {
    return SIDES.flatMap((side) =>
      this.#caches[side].list().flatMap((object) => (this.#concerns(side, object) ? [objectKey(object.metadata)] : [])),
    );
  }

  #follow(side: Side): void {
    const cache = this.#caches[side];
    cache.synced(this.#closing.signal).then(
      () => {
        // From now on a missing object is known to be missing.
        for (const key of this.#keys()) this.#noticed(key);
        this.#engine.survey();
      },
      () => undefined,
    );
    this.#subscriptions.push(
      cache.onStateChange(() => {
        this.#engine.notifyChanged();
        this.#engine.survey();
      }),
      cache.addHandler({
        onAdd: (object, _initial, _key, own) => {
          this.#changed(side, [object], own);
        },
        onUpdate: (before, object, _key, own) => {
          this.#changed(side, [before, object], own);
        },
        onDelete: (object, witnessed) => {
          this.#deleted(side, object, witnessed);
        },
      }),
    );
  }

  #changed(side: Side, objects: readonly KubeObject[], own: boolean): void {
    const last = objects.at(-1);
    if (last === undefined) return;
    const key = objectKey(last.metadata);
    if (this.#isCopy(last)) this.#copies.add(side, key);
    else if (this.#copies.delete(side, key)) this.#options.changed();
    if (!own && this.#isOfRules(side, key, objects)) this.#noticed(key);
  }

  #deleted(side: Side, object: KubeObject, witnessed: boolean): void {
    const key = objectKey(object.metadata);
    if (this.#copies.delete(side, key)) this.#options.changed();
    if (!this.#isOfRules(side, key, [object])) return;
    if (witnessed) this.#role.heardOfDeletion(key, side);
    this.#noticed(key);
  }

  /** Until it is judged again, its copy does not count as one that stays. */
  #noticed(key: string): void {
    this.#copies.settle(key, false);
    this.#engine.noticed(key);
  }

  /** Filters cheaply: only selected objects, copies, and objects in the place of one need more work. */
  #isOfRules(side: Side, key: string, objects: readonly KubeObject[]): boolean {
    const other = this.#caches[otherSide(side)].get(locationOf(key));
    return (
      objects.some((object) => this.#concerns(side, object)) ||
      (other !== undefined && this.#concerns(otherSide(side), other)) ||
      this.#engine.problemOf(key) !== undefined
    );
  }

  #concerns(side: Side, object: KubeObject): boolean {
    return this.#isCopy(object) || selects(this.#rules, side, object);
  }

  #isCopy(object: KubeObject): boolean {
    const { owner, isBinding } = this.#options;
    return markingOf(object, owner, isBinding) === 'own';
  }
}

/** Whether an unselected copy stays: it waits for no further event. */
function isKept(verdict: Verdict): boolean {
  return (verdict.kind === 'held' && verdict.reason !== 'Paused') || verdict.kind === 'notSelected';
}

/** Whether a cache is filled, or will not be for now. */
function isSettled({ hasSynced, state }: InformerHandle<KubeObject>): boolean {
  return hasSynced || state.phase === 'waiting';
}
