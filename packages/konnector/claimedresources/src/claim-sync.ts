import { controllerOf, type KubeObject, objectKey, resourceName } from '@hawser/client';
import type { Subscription } from '@hawser/informer';
import { type NamespaceChange, asksForRetry } from '@hawser/konnector-sync';
import { PairEngine } from '@hawser/pair';

import { createAct } from './act.js';
import { cacheProblems, isSettled } from './cache-problems.js';
import { type Claim, claimedKind } from './claim.js';
import { ClaimCaches } from './claim-caches.js';
import { ClaimMemories, ClaimRole, type ClaimTypes } from './claim-role.js';
import { concernsClaims } from './claimed-by.js';
import type { Decision } from './decision.js';
import type { ClaimedObjectProblem } from './verdict.js';
import { type CopyCounts, createCopyCounts } from './copy-counts.js';
import { kubeBindMarks } from './kube-bind-marks.js';
import { IDENTITY, type Marks, type Side, otherSide } from './marks.js';
import { type MissingOriginals, createMissingOriginals } from './missing-originals.js';
import { namesAnotherName } from './origin.js';
import type { Policies } from './policies.js';
import type { Named } from './references.js';
import { type Selection, createSelection } from './selection.js';
import type { ClaimSyncOptions } from './claim-sync-options.js';

/** A problem of one object, with the bindings whose claims select it. */
export interface ObjectClaimProblem extends ClaimedObjectProblem {
  /** `secrets team-a/name`, as named on the consumer. */
  readonly object: string;
  readonly bindings: readonly string[];
  /** Whether the consumer's object has an Event about it. */
  readonly hasEvent: boolean;
}

/** Keeps all claimed objects of one resource in sync, for all claims of one connection. */
export interface ClaimSync {
  /** Replaces claims and policies; objects no longer claimed stay unchanged. */
  setClaims(claims: readonly Claim[], policies: Policies): void;
  /** Problems that keep objects of a binding's claims out of sync. */
  problems(binding: string): readonly ObjectClaimProblem[];
  /** Number of copies on the consumer from a binding's claims on this resource. */
  copies(binding: string): number;
  /** Rechecks the provider's objects for one consumer namespace, or for all. */
  recheckNamespaces(namespace: string | undefined): void;
  /** Rechecks objects held for lack of room. */
  recheckHeldForRoom(): void;
  /** Problems that keep whole caches from filling. */
  troubles(): readonly ClaimedObjectProblem[];
  /** True once everything was processed: only then the absence of problems means something. */
  readonly surveyed: boolean;
  /** Plans the next step for an object of the consumer (`namespace/name`). Writes nothing. */
  plan(object: string): Decision;
  /** Resolves when nothing is in flight. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** `deleted`: reported by the API server's watch. `missing`: absent from a list. */
type Presence = 'present' | 'deleted' | 'missing';

export function createClaimSync(options: ClaimSyncOptions): ClaimSync {
  return new ObjectClaimSync(options);
}

class ObjectClaimSync implements ClaimSync {
  readonly #options: ClaimSyncOptions;
  readonly #marks: Marks;
  readonly #closing = new AbortController();
  readonly #subscriptions: Subscription[] = [];
  readonly #caches: ClaimCaches;
  readonly #memories = new ClaimMemories();
  readonly #counts: CopyCounts;
  readonly #missing: MissingOriginals;
  readonly #selection: Selection;
  readonly #engine: PairEngine<ClaimTypes>;
  /** By key of a pair with a report. */
  readonly #reports = new Map<string, Pick<ObjectClaimProblem, 'bindings' | 'hasEvent'>>();
  #anyBinding = '';
  #kind: string | undefined;
  #policies: Policies = new Map();

  constructor(options: ClaimSyncOptions) {
    const { resource, settings, consumer, provider, namespaces, deletions } = options;
    this.#options = options;
    this.#marks = settings.marks ?? kubeBindMarks;
    this.#kind = claimedKind(resource);
    this.#counts = createCopyCounts(options.onRoom);
    this.#missing = createMissingOriginals(resource, deletions);
    this.#caches = new ClaimCaches(
      { consumer: consumer.informers, provider: provider.informers },
      resource,
      namespaces,
      {
        changed: (objects, how, own) => {
          this.#providerChanged(objects, how, own);
        },
        filled: (namespace) => {
          this.#filled(namespace);
        },
        stateChanged: () => {
          this.#stateChanged();
        },
      },
    );
    this.#selection = createSelection(consumer.informers, resource, (named) => {
      this.#named(named);
    });
    this.#engine = this.#createEngine();
    // Last: shared caches deliver their objects at once.
    this.#subscriptions.push(
      namespaces.onChange((change) => {
        this.#placed(change);
      }),
      this.#caches.consumer.onStateChange(() => {
        this.#stateChanged();
      }),
      this.#caches.consumer.addHandler({
        onAdd: (object, _initial, _key, own) => {
          this.#consumerChanged([object], own);
        },
        onUpdate: (before, object, _key, own) => {
          this.#consumerChanged([before, object], own);
        },
        onDelete: (object, witnessed) => {
          this.#consumerDeleted(object, witnessed);
        },
      }),
      deletions.onChange((released) => {
        if (released) for (const key of this.#missing.keys) this.#engine.noticed(key);
      }),
    );
  }

  setClaims(claims: readonly Claim[], policies: Policies): void {
    const { namespaces } = this.#options;
    this.#policies = policies;
    this.#memories.judgeAgain();
    this.#selection.set(claims);
    this.#anyBinding = claims[0]?.binding ?? '';
    this.#engine.recheck(this.#engine.problems().map(({ object }) => object));
    for (const object of this.#caches.consumer.list())
      this.#noticed('consumer', object.metadata.namespace ?? '', [object], 'present');
    for (const { consumer } of namespaces.assigned()) this.#recheckNamespace(consumer);
    this.#engine.surveyAgain();
  }

  problems(binding: string): readonly ObjectClaimProblem[] {
    const { resource } = this.#options;
    return this.#engine.problems().flatMap((problem) => {
      const report = this.#reports.get(problem.object);
      // Problems of its pairs come only from this role.
      const { reason, message, actor } = problem as ClaimedObjectProblem & { readonly object: string };
      return report?.bindings.includes(binding) === true
        ? [{ reason, message, actor, ...report, object: `${resource.resource} ${problem.object}` }]
        : [];
    });
  }

  copies(binding: string): number {
    return this.#counts.count(binding);
  }

  recheckNamespaces(namespace: string | undefined): void {
    for (const one of namespace === undefined
      ? this.#options.namespaces.assigned().map(({ consumer }) => consumer)
      : [namespace])
      this.#recheckNamespace(one);
  }

  recheckHeldForRoom(): void {
    for (const { object, reason } of this.#engine.problems())
      if (reason === 'TooManyClaimedObjects') this.#engine.noticed(object);
  }

  troubles(): readonly ClaimedObjectProblem[] {
    return cacheProblems(this.#options.resource, {
      consumer: [this.#caches.consumer, ...this.#selection.informers],
      provider: this.#caches.provider.informers,
    });
  }

  get surveyed(): boolean {
    return this.#engine.surveyed;
  }

  plan(object: string): Decision {
    return this.#engine.plan(object);
  }

  idle(): Promise<void> {
    return this.#engine.idle();
  }

  async stop(): Promise<void> {
    this.#closing.abort(new Error('claims are no longer served'));
    for (const subscription of this.#subscriptions.splice(0)) subscription.close();
    await this.#engine.stop();
    this.#missing.leave();
    this.#selection.close();
    this.#caches.close();
  }

  #createEngine(): PairEngine<ClaimTypes> {
    const { resource, settings, consumer, provider, namespaces, concurrency, clock, random, metrics, exportOwner } =
      this.#options;
    const caches = this.#caches;
    const clients = { consumer: consumer.client, provider: provider.client };
    const act = createAct({
      clients,
      resource,
      settings,
      namespaces,
      exportOwner,
      observe: (side, object) => {
        caches.observe(side, object);
      },
      forget: (side, object) => {
        caches.forget(side, object);
      },
    });
    const role = new ClaimRole({
      ...this.#options,
      clients,
      caches,
      selection: this.#selection,
      counts: this.#counts,
      missing: this.#missing,
      memories: this.#memories,
      act,
      policies: () => this.#policies,
      kind: () => this.#kind,
      onRead: ({ kind }) => {
        this.#kind ??= kind;
      },
      onReported: (key, bindings, hasEvent) => {
        this.#noteReport(key, bindings, hasEvent);
      },
      onOver: (key) => {
        this.#reports.delete(key);
      },
    });
    return new PairEngine<ClaimTypes>(role, {
      name: `claims-${resource.resource}`,
      concurrency,
      // Before the consumer's cache is filled every copy would look like a leftover.
      ready: caches.consumer.synced(this.#closing.signal),
      isFilled: () => [caches.consumer, ...this.#selection.informers, ...caches.provider.informers].every(isSettled),
      recoveries: [consumer.client.recovery, provider.client.recovery],
      events: consumer.events,
      changed: () => {
        this.#options.onProblems();
      },
      clock,
      random,
      logger: this.#options.logger.child({ resource: resourceName(resource) }),
      metrics,
    });
  }

  #noteReport(key: string, bindings: readonly string[], hasEvent: boolean | undefined): void {
    const known = this.#reports.get(key);
    this.#reports.set(key, { bindings, hasEvent: hasEvent ?? known?.hasEvent ?? false });
    if (known !== undefined && known.bindings.join() !== bindings.join()) this.#engine.notifyChanged();
  }

  #stateChanged(): void {
    this.#engine.notifyChanged();
    this.#engine.survey();
  }

  #filled(providerNamespace: string): void {
    if (this.#closing.signal.aborted) return;
    this.#recheckNamespace(this.#options.namespaces.toConsumer(providerNamespace));
    this.#engine.survey();
  }

  /** Handles names that references gained or lost. */
  #named(named: readonly Named[]): void {
    for (const one of named) for (const key of this.#caches.keysOf(one)) this.#engine.noticed(key);
    if (named.length === 0) this.#stateChanged();
  }

  /** Handles a consumer namespace whose provider namespace was assigned, changed or removed. */
  #placed({ consumer, before, after }: NamespaceChange): void {
    if (before !== undefined && before !== after) this.#caches.provider.release(before);
    if (after !== undefined) this.#caches.provider.open(after);
    this.#recheckNamespace(consumer);
  }

  #providerChanged(objects: readonly KubeObject[], how: Presence, own: boolean): void {
    const last = objects.at(-1);
    const consumerNamespace =
      last === undefined ? undefined : this.#options.namespaces.toConsumer(last.metadata.namespace ?? '');
    if (consumerNamespace !== undefined) this.#noticed('provider', consumerNamespace, objects, how, own);
  }

  /** The last one is the current object. */
  #consumerChanged(objects: readonly KubeObject[], own: boolean): void {
    const last = objects.at(-1);
    if (last === undefined) return;
    this.#countCopy(last);
    this.#noticed('consumer', last.metadata.namespace ?? '', objects, 'present', own);
  }

  #consumerDeleted(object: KubeObject, witnessed: boolean): void {
    this.#counts.delete(objectKey(object));
    this.#noticed('consumer', object.metadata.namespace ?? '', [object], witnessed ? 'deleted' : 'missing');
  }

  /** Handles a change of an object. Objects unrelated to claims cost only this check. */
  #noticed(side: Side, consumerNamespace: string, objects: readonly KubeObject[], how: Presence, own = false): void {
    const last = objects.at(-1);
    if (last === undefined) return;
    const uid = last.metadata.uid ?? '';
    if (how !== 'present') this.#caches.heardOfEnd(side, last);
    const key = objectKey({ namespace: consumerNamespace, name: last.metadata.name });
    const isOfClaims =
      objects.some((object) => this.#concerns(side, consumerNamespace, object)) ||
      this.#engine.problemOf(key) !== undefined ||
      this.#isAwaited(side, key);
    if (!isOfClaims) return;
    const { seen, deleted } = this.#memories.get(key);
    if (how !== 'present')
      this.#memories.remember(key, {
        seen: { ...seen, [side]: uid },
        ...(how === 'deleted' ? { deleted: { ...deleted, [side]: uid } } : {}),
      });
    const [before] = objects;
    // The other side must not make the consumer write as often as it likes.
    if (side === 'consumer' && before !== undefined && asksForRetry(before, last)) this.#engine.retry(key);
    else if (!own) this.#engine.noticed(key);
  }

  /** Counts a copy of this provider, or of unknown origin, for the first binding whose claims bring it in. */
  #countCopy(object: KubeObject): void {
    const key = objectKey(object);
    const identity = object.metadata.annotations?.[IDENTITY.provider];
    const isCopy =
      this.#marks.roleOf(object, 'consumer') === 'copy' &&
      controllerOf(object) === undefined &&
      !namesAnotherName(object, 'consumer');
    if (!isCopy || (identity !== undefined && identity !== this.#options.settings.clusterNamespaceUid))
      this.#counts.delete(key);
    else
      this.#counts.set(
        key,
        this.#selection.claimedBy('provider', object.metadata.namespace ?? '', object)[0] ??
          this.#counts.bindingOf(key) ??
          this.#anyBinding,
      );
  }

  #concerns(side: Side, consumerNamespace: string, object: KubeObject): boolean {
    return concernsClaims(this.#marks, side, object, this.#selection.claimedBy(side, consumerNamespace, object));
  }

  /** Whether the other side has work for claims under that name: the object may be its copy, or in its place. */
  #isAwaited(side: Side, key: string): boolean {
    const keys = this.#caches.keysFor(key);
    const other = this.#caches.get(otherSide(side), keys[otherSide(side)]);
    return other !== undefined && this.#concerns(otherSide(side), keys.consumer.namespace, other);
  }

  #recheckNamespace(consumerNamespace: string | undefined): void {
    if (consumerNamespace === undefined) return;
    for (const object of this.#caches.list('consumer', consumerNamespace))
      this.#noticed('consumer', consumerNamespace, [object], 'present');
    const provider = this.#options.namespaces.toProvider(consumerNamespace);
    for (const object of provider === undefined ? [] : this.#caches.list('provider', provider))
      this.#noticed('provider', consumerNamespace, [object], 'present');
  }
}
