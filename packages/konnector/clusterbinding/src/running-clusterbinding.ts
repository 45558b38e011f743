import { messageOf } from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, WriteBudget, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import {
  type ProviderConnection,
  createNamedWatches,
  fillInformers,
  tellConditions,
} from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type ClusterBinding,
  type NewCondition,
  type Secret,
  conditionReasons,
  conditionTypes,
  falseCondition,
  getCondition,
  hasSameState,
  resources,
  trueCondition,
} from '@hawser/kube-bind';
import { act } from './act.js';
import type { ClusterBindingOptions } from './clusterbinding.js';
import { commitBinding, commitClusterBinding } from './commit.js';
import { type Decision, decide } from './decide.js';
import { createDestinations } from './elsewhere.js';
import { type HeartbeatPlan, heartbeatPeriod, pauseAfterHeartbeat } from './heartbeat.js';
import { type Observer, observe } from './observe.js';
import { rememberRefusal } from './refusal.js';
import { clusterBindingsSpec } from './sources.js';

/** The Secrets, the report to the provider, and each binding have keys of their own, so that one that fails and is tried again holds up no other. */
const mirrorKey = 'mirror';
const reportKey = 'report';
const bindingPrefix = 'binding/';
/** Shorter than usual, so that heartbeats come soon after the provider does. */
const backoff = { initialMs: 200, capMs: 30_000 };

/** One run of the controller of a connection's ClusterBinding. */
export class RunningClusterBinding {
  readonly #ctx: ControllerContext<'consumer' | 'provider'>;
  readonly #scope: Scope;
  readonly #connection: ProviderConnection;
  readonly #bindings: InformerHandle<APIServiceBinding>;
  readonly #clusterBindings: InformerHandle<ClusterBinding>;
  readonly #observer: Observer;
  readonly #queue: Queue;
  /** What a provider can make us write, by changing its ClusterBinding or its Secret. */
  readonly #budget = new WriteBudget();
  /** The same for what another konnector with this kubeconfig writes into the ClusterBinding: its version or its Secret, too. */
  readonly #reports = new WriteBudget({ burst: 10, refillMs: 15_000 });
  #plan: HeartbeatPlan;
  /** When this process has written the last one (monotonic). */
  #lastHeartbeatMs: number | undefined;
  /** What the last mirroring says; undefined while nothing can be said. */
  #secretValid: NewCondition | undefined;
  /** What to say on every binding; undefined before the first report. */
  #heartbeating: NewCondition | undefined;

  constructor(
    options: ClusterBindingOptions & { readonly heartbeatIntervalMs: number },
    name: string,
    ctx: ControllerContext<'consumer' | 'provider'>,
    scope: Scope,
  ) {
    const { connection, version, policy = {}, heartbeatIntervalMs } = options;
    const { consumer, provider } = ctx.clusters;
    this.#ctx = ctx;
    this.#scope = scope;
    this.#connection = connection;
    this.#bindings = scope.informer(
      consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }),
    );
    this.#clusterBindings = scope.informer(provider.informers.acquire<ClusterBinding>(clusterBindingsSpec(connection)));
    // Opened before the queue, so that they are closed after it has drained.
    const look = (): void => {
      this.#look();
    };
    const providerSecrets = createNamedWatches<Secret>(provider.informers, resources.secrets, look);
    const consumerSecrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, look);
    scope.own(providerSecrets);
    scope.own(consumerSecrets);
    this.#queue = scope.openQueue({
      name,
      reconcile: (key, signal) => this.#reconcile(key, signal),
      concurrency: 4,
      backoff,
    });
    this.#observer = {
      connection,
      version,
      clusterBindings: this.#clusterBindings,
      providerSecrets,
      consumerSecrets,
      refusal: rememberRefusal(connection.clusterNamespace, policy),
      destinations: createDestinations(connection, policy),
    };
    this.#plan = { intervalMs: heartbeatIntervalMs, periodMs: heartbeatPeriod(heartbeatIntervalMs, ctx.random) };
    this.#watch(look);
  }

  /** Resolves when its caches are filled, and has everything looked at then. */
  async fill(): Promise<void> {
    await fillInformers([this.#bindings, this.#clusterBindings], this.#scope.signal);
    this.#look();
  }

  #watch(look: () => void): void {
    this.#scope.onChange(this.#clusterBindings, look);
    this.#scope.own(this.#clusterBindings.onStateChange(look));
    this.#scope.own(
      this.#bindings.addHandler({
        onAdd: ({ metadata }) => {
          this.#tellBinding(metadata.name);
        },
        onUpdate: (_, { metadata }) => {
          this.#tellBinding(metadata.name);
        },
      }),
    );
    this.#scope.own(
      this.#connection.bindings.onChange((binding) => {
        look();
        this.#tellBinding(binding);
      }),
    );
  }

  #look(): void {
    this.#queue.add(mirrorKey, { resetBackoff: true });
    this.#queue.add(reportKey);
  }

  #tellBinding(binding: string): void {
    if (this.#heartbeating !== undefined && this.#connection.bindings.has(binding))
      this.#queue.add(bindingPrefix + binding);
  }

  #tellBindings(condition: NewCondition): void {
    this.#heartbeating = condition;
    for (const binding of this.#connection.bindings.names()) this.#tellBinding(binding);
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Result> {
    const waitMs = (key === reportKey ? this.#reports : this.#budget).waitMs(key, this.#ctx.clock.monotonic());
    if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    if (key === mirrorKey) return this.#mirrorSecrets(signal);
    if (key === reportKey) return this.#report(signal);
    const binding = this.#bindings.get(key.slice(bindingPrefix.length));
    if (
      binding === undefined ||
      this.#heartbeating === undefined ||
      !this.#connection.bindings.has(binding.metadata.name)
    )
      return done;
    const written = await commitBinding(this.#ctx.clusters.consumer.client, binding, this.#heartbeating, {
      clock: this.#ctx.clock,
      random: this.#ctx.random,
      signal,
    });
    if (written === undefined) return done;
    if (written !== binding) {
      this.#budget.spend(key, this.#ctx.clock.monotonic());
      tellConditions(this.#ctx.clusters.consumer.events, binding, [this.#heartbeating]);
    }
    this.#bindings.observe(written);
    return done;
  }

  #heartbeat(): HeartbeatPlan {
    return this.#lastHeartbeatMs === undefined
      ? this.#plan
      : {
          ...this.#plan,
          notBeforeMs: pauseAfterHeartbeat(this.#plan, this.#lastHeartbeatMs, this.#ctx.clock.monotonic()),
        };
  }

  async #mirrorSecrets(signal: AbortSignal): Promise<Result> {
    const observed = observe(this.#observer, this.#heartbeat(), this.#ctx.clock.now());
    const decision = decide(observed);
    if (decision.kind === 'disconnected') return done;
    const source = observed.providerSecret.kind === 'found' ? observed.providerSecret.secret : undefined;
    if (decision.mirrors.length > 0) this.#budget.spend(mirrorKey, this.#ctx.clock.monotonic());
    const mirrored = await act(
      { consumer: this.#ctx.clusters.consumer.client, provider: this.#ctx.clusters.provider.client },
      source,
      decision.mirrors,
      decision.secretValid,
      signal,
    );
    if (mirrored.secretValid !== undefined) {
      this.#secretValid = mirrored.secretValid;
      this.#queue.add(reportKey);
    }
    if (mirrored.error !== undefined) throw mirrored.error;
    for (const { kind, namespace, name } of decision.mirrors) {
      this.#ctx.logger.info(
        kind === 'create'
          ? "The kubeconfig Secret was missing, and was made again from the provider's."
          : "The kubeconfig Secret was not as the provider's, and was written again from it.",
        { secretName: `${namespace}/${name}` },
      );
    }
    return done;
  }

  async #report(signal: AbortSignal): Promise<Result> {
    const decision = decide(observe(this.#observer, this.#heartbeat(), this.#ctx.clock.now()));
    if (decision.kind === 'disconnected') {
      this.#tellBindings(decision.heartbeating);
      return done;
    }
    // Mirroring waits for nothing, so that the first report needs no second one.
    if (this.#secretValid === undefined && decision.secretValid !== undefined && decision.mirrors.length === 0)
      this.#secretValid = decision.secretValid;
    return (await this.#commit(decision, signal)) ? { kind: 'requeue', afterMs: decision.nextMs } : done;
  }

  /** False if the ClusterBinding has gone meanwhile: then its event brings the key back. */
  async #commit(
    { clusterBinding, validVersion, status }: Extract<Decision, { kind: 'report' }>,
    signal: AbortSignal,
  ): Promise<boolean> {
    let written: ClusterBinding | undefined;
    try {
      const conditions = this.#secretValid === undefined ? [validVersion] : [this.#secretValid, validVersion];
      written = await commitClusterBinding(this.#ctx.clusters.provider.client, clusterBinding, status, conditions, {
        clock: this.#ctx.clock,
        random: this.#ctx.random,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      const message = messageOf(error);
      this.#tellBindings(
        falseCondition(
          conditionTypes.heartbeating,
          conditionReasons.clusterBindingUpdateFailed,
          'Warning',
          `No heartbeat could be reported: ${message}`,
        ),
      );
      throw error;
    }
    if (written === undefined) return false;
    if (written !== clusterBinding) this.#reports.spend(reportKey, this.#ctx.clock.monotonic());
    this.#clusterBindings.observe(written);
    if (status.lastHeartbeatTime !== undefined) {
      this.#plan = { ...this.#plan, periodMs: heartbeatPeriod(this.#plan.intervalMs, this.#ctx.random) };
      this.#lastHeartbeatMs = this.#ctx.clock.monotonic();
    }
    this.#tellBindings(trueCondition(conditionTypes.heartbeating));
    this.#tellRefusal(clusterBinding);
    return true;
  }

  /** The ClusterBinding is the provider's; whoever looks at the consumer has to hear of a kubeconfig that was not copied, too. */
  #tellRefusal(before: ClusterBinding): void {
    if (this.#secretValid?.status !== 'False') return;
    const known = getCondition(before.status?.conditions, conditionTypes.secretValid);
    if (known !== undefined && hasSameState(known, this.#secretValid)) return;
    for (const binding of this.#connection.bindings.names()) {
      const object = this.#bindings.get(binding);
      if (object === undefined) continue;
      const { apiVersion, kind, metadata } = object;
      this.#ctx.clusters.consumer.events.record(
        { apiVersion, kind, name: metadata.name, uid: metadata.uid },
        {
          type: 'Warning',
          reason: this.#secretValid.reason ?? 'SecretInvalid',
          message: this.#secretValid.message ?? '',
        },
      );
    }
  }
}
