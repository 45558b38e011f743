import { statusPatch } from '@hawser/client';
import {
  type ControllerContext,
  type Efforts,
  type Queue,
  type Result,
  type Scope,
  WriteBudget,
  createEfforts,
  done,
} from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type ProviderConnection, fillInformers, recordConditions, recordUndone } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  type APIServiceBindingBundleStatus,
  type APIServiceExport,
  type NewCondition,
  commitStatus,
  hawserAnnotations,
  resources,
  setBundleSummary,
  setCondition,
} from '@hawser/kube-bind';
import { act } from './act.js';
import { decide, missing } from './decide.js';
import { Exports } from './exports.js';
import type { Absence, Observed } from './observed.js';
import { synced } from './problems.js';
import { Prover } from './proof.js';
import type { ServiceBindingBundleOptions } from './servicebindingbundle.js';
import { type Withdrawals, createWithdrawals } from './withdrawals.js';

/** Retry period for kept bindings: no event may tell when the provider is healthy again. */
const lookAgainMs = 60_000;

/** One run of the controller of a connection's bundles. */
export class RunningBundles {
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  readonly #connection: ProviderConnection;
  readonly #pollMs: number;
  readonly #removalDelayMs: number;
  readonly #bundles: InformerHandle<APIServiceBindingBundle>;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #exportCache: InformerHandle<APIServiceExport>;
  readonly #exports: Exports;
  readonly #withdrawals: Withdrawals;
  readonly #prover: Prover;
  /** Missing exports, and since when (monotonic). */
  readonly #missingSince = new Map<string, number>();
  readonly #budget = new WriteBudget();
  /** By bundle: conditions that the API server accepted but dropped from its answer. */
  readonly #undone: Efforts;
  readonly #queue: Queue;

  constructor(
    options: ServiceBindingBundleOptions,
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { connection, pollMs = 15_000, removalDelayMs = 10_000, withdrawalsPerMinute: perMinute } = options;
    const { clusterNamespace: namespace } = connection;
    const { clock } = ctx;
    const { consumer, provider } = ctx.clusters;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#connection = connection;
    this.#pollMs = pollMs;
    this.#removalDelayMs = removalDelayMs;
    this.#bundles = scope.cache(consumer, { resource: resources.apiServiceBindingBundles });
    this.#bindings = scope.cache(consumer, { resource: resources.apiServiceBindings });
    this.#exportCache = scope.cache(provider, { resource: resources.apiServiceExports, namespace });
    const exported = { provider: provider.client, clusterNamespace: namespace };
    this.#exports = new Exports({ ...exported, informer: this.#exportCache, clock });
    this.#prover = new Prover(exported);
    this.#withdrawals = createWithdrawals({ consumer: consumer.client, clock, perMinute });
    this.#undone = createEfforts(clock, ctx.random);
    this.#queue = scope.openQueue({ name, concurrency: 2, reconcile: (key, signal) => this.#reconcile(key, signal) });
    this.#watch();
  }

  /** Resolves when the caches are filled; then queues all bundles. */
  async fill(): Promise<void> {
    await fillInformers([this.#bindings, this.#exportCache], this.#scope.signal);
    this.#enqueueAll();
  }

  /** Resolves when nothing is in flight. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  /** Registers the watches that queue bundles. */
  #watch(): void {
    this.#scope.watch(this.#bundles, this.#queue, ({ metadata }) =>
      this.#connection.bundles.has(metadata.name) ? metadata.name : undefined,
    );
    this.#scope.own(
      this.#bindings.addHandler({
        onAdd: () => {
          this.#enqueueAll();
        },
        // Changes of conditions do not matter to a bundle.
        onUpdate: (before, after) => {
          if (
            before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
            owners(before) !== owners(after)
          )
            this.#enqueueAll();
        },
        onDelete: ({ metadata }) => {
          this.#withdrawals.settled(metadata.name);
          this.#enqueueAll();
        },
      }),
    );
    this.#scope.own(
      this.#exportCache.addHandler({
        onAdd: (one) => {
          this.#withdrawals.seen(one);
          this.#enqueueAll();
        },
        onUpdate: (before, after) => {
          this.#withdrawals.seen(after);
          if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) this.#enqueueAll();
        },
        onDelete: ({ metadata }, witnessed) => {
          this.#withdrawals.gone(metadata.name, witnessed);
          this.#enqueueAll();
        },
      }),
    );
    this.#scope.own(
      this.#exportCache.onStateChange(() => {
        this.#exports.stateChanged();
        this.#enqueueAll();
      }),
    );
    this.#scope.own(
      this.#connection.bundles.onChange((bundle) => {
        this.#enqueue(bundle);
      }),
    );
  }

  #enqueue(bundle: string): void {
    if (this.#connection.bundles.has(bundle)) this.#queue.add(bundle);
  }

  #enqueueAll(): void {
    for (const bundle of this.#connection.bundles.names()) this.#enqueue(bundle);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const bundle = this.#connection.bundles.has(key) ? this.#bundles.get(key) : undefined;
    if (bundle === undefined || bundle.metadata.deletionTimestamp !== undefined) return done;
    const waitMs = this.#budget.waitMs(key, this.#ctx.clock.monotonic());
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    const observed = await this.#observe(bundle, signal);
    const decision = decide(observed);
    const serves = (): boolean => this.#connection.bundles.has(key);
    const recordEvent = (reason: string, message: string): void => {
      this.#ctx.clusters.consumer.events.record(aboutOf(bundle), { type: 'Normal', reason, message });
    };
    const { problems, errors } = await act(
      { consumer: this.#ctx.clusters.consumer.client, bindings: this.#bindings, recordEvent, serves },
      bundle,
      decision.actions,
      signal,
    );
    const undoneMs = serves() ? await this.#report(bundle, synced([...decision.problems, ...problems]), signal) : 0;
    const [error] = errors;
    if (error !== undefined) throw error;
    const next = this.#nextLook(observed);
    return undoneMs > 0 && next.kind === 'done' ? { kind: 'requeue', afterMs: undoneMs } : next;
  }

  async #observe(bundle: APIServiceBindingBundle, signal: AbortSignal): Promise<Observed> {
    const reading = await this.#exports.read(signal);
    if (reading.kind === 'known' && reading.exports.length > 0) await this.#prover.pin(signal);
    const snapshot = {
      bundle,
      exports: reading,
      bindings: new Map(this.#bindings.list().map((binding) => [binding.metadata.name, binding])),
    };
    const absences = new Map<string, Absence>();
    const gone = missing(snapshot).map(({ metadata }) => metadata.name);
    for (const known of [...this.#missingSince.keys()])
      if (reading.kind === 'known' && reading.exports.some((one) => one.name === known)) {
        this.#missingSince.delete(known);
        this.#withdrawals.settled(known);
      }
    const expected = bundle.metadata.annotations?.[hawserAnnotations.providerIdentity];
    const now = this.#ctx.clock.monotonic();
    for (const binding of gone) {
      const since = this.#missingSince.get(binding) ?? now;
      this.#missingSince.set(binding, since);
      absences.set(
        binding,
        now - since < this.#removalDelayMs ? { kind: 'recent' } : await this.#prover.prove(binding, expected, signal),
      );
    }
    const proven = missing(snapshot).filter(({ metadata }) => absences.get(metadata.name)?.kind === 'gone');
    for (const [binding, absence] of await this.#withdrawals.weigh(proven, bundle, signal))
      absences.set(binding, absence);
    return { ...snapshot, absences };
  }

  #nextLook({ exports: reading, absences }: Observed): Result {
    const kinds = [...absences.values()].map(({ kind }) => kind);
    if (kinds.includes('recent')) return { kind: 'requeue', afterMs: this.#removalDelayMs };
    if (this.#exports.polled) return { kind: 'requeue', afterMs: this.#pollMs, priority: 'background' };
    return reading.kind === 'unreadable' || kinds.length > 0
      ? { kind: 'requeue', afterMs: lookAgainMs, priority: 'background' }
      : done;
  }

  /** Resolves to the milliseconds until the next write is permitted, where the API server drops the condition. */
  async #report(bundle: APIServiceBindingBundle, condition: NewCondition, signal: AbortSignal): Promise<number> {
    const { name } = bundle.metadata;
    const undoneMs = this.#undone.waits(name);
    if (undoneMs > 0) return undoneMs;
    const mutate = (status: APIServiceBindingBundleStatus): APIServiceBindingBundleStatus => ({
      ...status,
      conditions: setBundleSummary(
        setCondition(status.conditions, condition, this.#ctx.clock.now()),
        this.#ctx.clock.now(),
      ),
    });
    const written = await commitStatus(
      this.#ctx.clusters.consumer.client,
      resources.apiServiceBindingBundles,
      bundle,
      mutate,
      {
        clock: this.#ctx.clock,
        random: this.#ctx.random,
        signal,
      },
    );
    if (written === undefined || written === bundle) return 0;
    this.#budget.spend(name, this.#ctx.clock.monotonic());
    recordConditions(this.#ctx.clusters.consumer.events, bundle, [condition]);
    this.#bundles.observe(written);
    const stands = written.status ?? {};
    if (statusPatch(stands, mutate(stands)) === undefined) return 0;
    this.#undone.done(name);
    recordUndone(this.#ctx.clusters.consumer.events, bundle, 'condition Synced of this bundle');
    return this.#undone.waits(name);
  }
}

const owners = ({ metadata }: APIServiceBinding): string => JSON.stringify(metadata.ownerReferences ?? []);

function aboutOf({ apiVersion, kind, metadata: { name: bundle, uid } }: APIServiceBindingBundle): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string | undefined;
} {
  return { apiVersion, kind, name: bundle, uid };
}
