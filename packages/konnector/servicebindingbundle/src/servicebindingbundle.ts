import { type Controller, type Queue, type Result, WriteBudget, createController, done } from '@hawser/controller';
import { type ProviderConnection, fillInformers, tellConditions } from '@hawser/konnector-connection';
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
import { createWithdrawals } from './withdrawals.js';

export interface ServiceBindingBundleOptions {
  readonly connection: ProviderConnection;
  /** How often exports are listed where the provider does not let them be watched, in milliseconds. Default 15 000. */
  readonly pollMs?: number | undefined;
  /** How long an export has to be missing before its deletion is looked into, in milliseconds. Default 10 000. */
  readonly removalDelayMs?: number | undefined;
  /** Bindings with objects that may be deleted within a minute, for exports that were seen to go; more wait for a person. Default 10. */
  readonly withdrawalsPerMinute?: number | undefined;
}

/** The controller of a connection's bundles. */
export interface ServiceBindingBundleController extends Controller<'consumer' | 'provider'> {
  /** Resolves when nothing is in flight any more for a bundle that this connection no longer serves. */
  released(bundle: string): Promise<void>;
}

const name = 'servicebindingbundle';
/** Of bindings that are kept: nothing may tell when the provider is in order again. */
const lookAgainMs = 60_000;

/**
 * Binds everything that is exported to one kubeconfig (spec/konnector.md §6.3): for each APIServiceBindingBundle of the connection one APIServiceBinding per
 * APIServiceExport, and the condition `Synced`.
 *
 * A binding that is not the bundle's is never touched, and reported. A binding of the bundle is deleted only if its export is proven deleted by live reads; one with objects only if the
 * deletion was seen, and a few at a time, or if a person has approved it.
 */
export function createServiceBindingBundle(options: ServiceBindingBundleOptions): ServiceBindingBundleController {
  const { connection, pollMs = 15_000, removalDelayMs = 10_000 } = options;
  let settled = (): Promise<void> => Promise.resolve();
  const controller = createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const { clusterNamespace } = connection;
    const bundles = scope.informer(
      consumer.informers.acquire<APIServiceBindingBundle>({ resource: resources.apiServiceBindingBundles }),
    );
    const bindings = scope.informer(
      consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }),
    );
    const informer = scope.informer(
      provider.informers.acquire<APIServiceExport>({
        resource: resources.apiServiceExports,
        namespace: clusterNamespace,
      }),
    );
    const exports = new Exports({ provider: provider.client, clusterNamespace, informer, clock: ctx.clock });
    const withdrawals = createWithdrawals({
      consumer: consumer.client,
      clock: ctx.clock,
      perMinute: options.withdrawalsPerMinute,
    });
    const prover = new Prover({ provider: provider.client, clusterNamespace });
    /** Exports that are missing, and since when (monotonic). */
    const missingSince = new Map<string, number>();
    const budget = new WriteBudget();
    const queue: Queue = scope.openQueue({ name, concurrency: 2, reconcile });
    settled = () => queue.idle();

    scope.own(
      bundles.addHandler({
        onAdd: ({ metadata }) => {
          enqueue(metadata.name);
        },
        onUpdate: (_, { metadata }) => {
          enqueue(metadata.name);
        },
      }),
    );
    scope.own(
      bindings.addHandler({
        onAdd: enqueueAll,
        // Conditions come and go, and are nothing to a bundle.
        onUpdate: (before, after) => {
          if (
            before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp ||
            owners(before) !== owners(after)
          )
            enqueueAll();
        },
        onDelete: ({ metadata }) => {
          withdrawals.settled(metadata.name);
          enqueueAll();
        },
      }),
    );
    scope.own(
      informer.addHandler({
        onAdd: (one) => {
          withdrawals.seen(one);
          enqueueAll();
        },
        onUpdate: (before, after) => {
          withdrawals.seen(after);
          if (before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp) enqueueAll();
        },
        onDelete: ({ metadata }, witnessed) => {
          withdrawals.gone(metadata.name, witnessed);
          enqueueAll();
        },
      }),
    );
    scope.own(
      informer.onStateChange(() => {
        exports.stateChanged();
        enqueueAll();
      }),
    );
    scope.own(
      connection.bundles.onChange((bundle) => {
        enqueue(bundle);
      }),
    );
    await fillInformers([bindings, informer], scope.signal);
    enqueueAll();

    function enqueue(bundle: string): void {
      if (connection.bundles.has(bundle)) queue.add(bundle);
    }

    function enqueueAll(): void {
      for (const bundle of connection.bundles.names()) enqueue(bundle);
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const bundle = connection.bundles.has(key) ? bundles.get(key) : undefined;
      if (bundle === undefined || bundle.metadata.deletionTimestamp !== undefined) return done;
      const waitMs = budget.waitMs(key, ctx.clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      const observed = await observe(bundle, signal);
      const decision = decide(observed);
      const serves = (): boolean => connection.bundles.has(key);
      const tell = (reason: string, message: string): void => {
        consumer.events.record(aboutOf(bundle), { type: 'Normal', reason, message });
      };
      const { problems, errors } = await act(
        { consumer: consumer.client, bindings, tell, serves },
        bundle,
        decision.actions,
        signal,
      );
      if (serves()) await report(bundle, synced([...decision.problems, ...problems]), signal);
      const [error] = errors;
      if (error !== undefined) throw error;
      return nextLook(observed);
    }

    async function observe(bundle: APIServiceBindingBundle, signal: AbortSignal): Promise<Observed> {
      const reading = await exports.read(signal);
      if (reading.kind === 'known' && reading.exports.length > 0) await prover.pin(signal);
      const snapshot = {
        bundle,
        exports: reading,
        bindings: new Map(bindings.list().map((binding) => [binding.metadata.name, binding])),
      };
      const absences = new Map<string, Absence>();
      const gone = missing(snapshot).map(({ metadata }) => metadata.name);
      for (const known of [...missingSince.keys()])
        if (reading.kind === 'known' && reading.exports.some((one) => one.name === known)) {
          missingSince.delete(known);
          withdrawals.settled(known);
        }
      const expected = bundle.metadata.annotations?.[hawserAnnotations.providerIdentity];
      const now = ctx.clock.monotonic();
      for (const binding of gone) {
        const since = missingSince.get(binding) ?? now;
        missingSince.set(binding, since);
        absences.set(
          binding,
          now - since < removalDelayMs ? { kind: 'recent' } : await prover.prove(binding, expected, signal),
        );
      }
      const proven = missing(snapshot).filter(({ metadata }) => absences.get(metadata.name)?.kind === 'gone');
      for (const [binding, absence] of await withdrawals.weigh(proven, bundle, signal)) absences.set(binding, absence);
      return { ...snapshot, absences };
    }

    function nextLook({ exports: reading, absences }: Observed): Result {
      const kinds = [...absences.values()].map(({ kind }) => kind);
      if (kinds.includes('recent')) return { kind: 'requeue', afterMs: removalDelayMs };
      if (exports.polled) return { kind: 'requeue', afterMs: pollMs, priority: 'background' };
      return reading.kind === 'unreadable' || kinds.length > 0
        ? { kind: 'requeue', afterMs: lookAgainMs, priority: 'background' }
        : done;
    }

    async function report(
      bundle: APIServiceBindingBundle,
      condition: NewCondition,
      signal: AbortSignal,
    ): Promise<void> {
      const mutate = (status: APIServiceBindingBundleStatus): APIServiceBindingBundleStatus => ({
        ...status,
        conditions: setBundleSummary(setCondition(status.conditions, condition, ctx.clock.now()), ctx.clock.now()),
      });
      const written = await commitStatus(consumer.client, resources.apiServiceBindingBundles, bundle, mutate, {
        clock: ctx.clock,
        random: ctx.random,
        signal,
      });
      if (written === undefined || written === bundle) return;
      budget.spend(bundle.metadata.name, ctx.clock.monotonic());
      tellConditions(consumer.events, bundle, [condition]);
      bundles.observe(written);
    }
  });
  return {
    name: controller.name,
    start: (ctx) => controller.start(ctx),
    stop: () => controller.stop(),
    // Leaving takes effect at once for what has not begun; what has begun is waited for.
    released: () => settled(),
  };
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
