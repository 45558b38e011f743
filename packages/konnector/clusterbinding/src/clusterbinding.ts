import { messageOf } from '@hawser/client';
import { type Controller, type Queue, type Result, WriteBudget, createController, done } from '@hawser/controller';
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
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { act } from './act.js';
import { commitBinding, commitClusterBinding } from './commit.js';
import { type Decision, decide } from './decide.js';
import { type HeartbeatPlan, heartbeatPeriod, pauseAfterHeartbeat } from './heartbeat.js';
import { type Observer, observe } from './observe.js';
import { createDestinations } from './elsewhere.js';
import { rememberRefusal } from './refusal.js';
import { clusterBindingsSpec } from './sources.js';

export interface ClusterBindingOptions {
  readonly connection: ProviderConnection;
  /** Version of the konnector: a release (`v0.8.1`), or a build's version string (spec/konnector.md §2.2). */
  readonly version: string;
  /** What a kubeconfig may contain. A kubeconfig of the provider that it refuses is not copied. Default: nothing but what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** What is reported as heartbeatInterval; a heartbeat is written after at most half of it. Default 5 min, as the peers have it. */
  readonly heartbeatIntervalMs?: number | undefined;
}

const name = 'clusterbinding';
/** The Secrets, the report to the provider, and each binding have keys of their own, so that one that fails and is tried again holds up no other. */
const mirrorKey = 'mirror';
const reportKey = 'report';
const bindingPrefix = 'binding/';
/** Shorter than usual, so that heartbeats come soon after the provider does. */
const backoff = { initialMs: 200, capMs: 30_000 };

/**
 * Keeps one provider connection alive (spec/konnector.md §7.2): reports heartbeat, version and Secret on the provider's ClusterBinding, copies the
 * provider's kubeconfig Secret to the consumer's when it differs, and tells on every APIServiceBinding of the connection whether the reports arrive.
 */
export function createClusterBinding(options: ClusterBindingOptions): Controller<'consumer' | 'provider'> {
  const { connection, version, policy = {}, heartbeatIntervalMs = 300_000 } = options;
  if (!(heartbeatIntervalMs > 0))
    throw new RangeError(`heartbeatIntervalMs must be above 0, not ${heartbeatIntervalMs}`);
  return createController<'consumer' | 'provider'>(name, async (ctx, scope) => {
    const { consumer, provider } = ctx.clusters;
    const bindings = scope.informer(
      consumer.informers.acquire<APIServiceBinding>({ resource: resources.apiServiceBindings }),
    );
    const clusterBindings = scope.informer(provider.informers.acquire<ClusterBinding>(clusterBindingsSpec(connection)));
    // Opened before the queue, so that they are closed after it has drained.
    const look = (): void => {
      queue.add(mirrorKey, { resetBackoff: true });
      queue.add(reportKey);
    };
    const providerSecrets = createNamedWatches<Secret>(provider.informers, resources.secrets, look);
    const consumerSecrets = createNamedWatches<Secret>(consumer.informers, resources.secrets, look);
    scope.own(() => {
      providerSecrets.close();
    });
    scope.own(() => {
      consumerSecrets.close();
    });
    const queue: Queue = scope.openQueue({ name, reconcile, concurrency: 4, backoff });
    const observer: Observer = {
      connection,
      version,
      clusterBindings,
      providerSecrets,
      consumerSecrets,
      refusal: rememberRefusal(connection.clusterNamespace, policy),
      destinations: createDestinations(connection, policy),
    };

    /** What a provider can make us write, by changing its ClusterBinding or its Secret. */
    const budget = new WriteBudget();
    /** The same for what another konnector with this kubeconfig writes into the ClusterBinding: its version or its Secret, too. */
    const reports = new WriteBudget({ burst: 10, refillMs: 15_000 });
    let plan: HeartbeatPlan = {
      intervalMs: heartbeatIntervalMs,
      periodMs: heartbeatPeriod(heartbeatIntervalMs, ctx.random),
    };
    /** When this process has written the last one (monotonic). */
    let lastHeartbeatMs: number | undefined;
    /** What the last mirroring says; undefined while nothing can be said. */
    let secretValid: NewCondition | undefined;
    /** What to say on every binding; undefined before the first report. */
    let heartbeating: NewCondition | undefined;

    scope.onChange(clusterBindings, look);
    scope.own(clusterBindings.onStateChange(look));
    scope.own(
      bindings.addHandler({
        onAdd: ({ metadata }) => {
          tellBinding(metadata.name);
        },
        onUpdate: (_, { metadata }) => {
          tellBinding(metadata.name);
        },
      }),
    );
    scope.own(
      connection.bindings.onChange((binding) => {
        look();
        tellBinding(binding);
      }),
    );
    await fillInformers([bindings, clusterBindings], scope.signal);
    look();

    function tellBinding(binding: string): void {
      if (heartbeating !== undefined && connection.bindings.has(binding)) queue.add(bindingPrefix + binding);
    }

    function tellBindings(condition: NewCondition): void {
      heartbeating = condition;
      for (const binding of connection.bindings.names()) tellBinding(binding);
    }

    async function reconcile(key: string, signal: AbortSignal): Promise<Result> {
      const waitMs = (key === reportKey ? reports : budget).waitMs(key, ctx.clock.monotonic());
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
      if (key === mirrorKey) return mirrorSecrets(signal);
      if (key === reportKey) return report(signal);
      const binding = bindings.get(key.slice(bindingPrefix.length));
      if (binding === undefined || heartbeating === undefined || !connection.bindings.has(binding.metadata.name))
        return done;
      const written = await commitBinding(consumer.client, binding, heartbeating, {
        clock: ctx.clock,
        random: ctx.random,
        signal,
      });
      if (written === undefined) return done;
      if (written !== binding) {
        budget.spend(key, ctx.clock.monotonic());
        tellConditions(consumer.events, binding, [heartbeating]);
      }
      bindings.observe(written);
      return done;
    }

    function heartbeat(): HeartbeatPlan {
      return lastHeartbeatMs === undefined
        ? plan
        : { ...plan, notBeforeMs: pauseAfterHeartbeat(plan, lastHeartbeatMs, ctx.clock.monotonic()) };
    }

    async function mirrorSecrets(signal: AbortSignal): Promise<Result> {
      const observed = observe(observer, heartbeat(), ctx.clock.now());
      const decision = decide(observed);
      if (decision.kind === 'disconnected') return done;
      const source = observed.providerSecret.kind === 'found' ? observed.providerSecret.secret : undefined;
      if (decision.mirrors.length > 0) budget.spend(mirrorKey, ctx.clock.monotonic());
      const mirrored = await act(
        { consumer: consumer.client, provider: provider.client },
        source,
        decision.mirrors,
        decision.secretValid,
        signal,
      );
      if (mirrored.secretValid !== undefined) {
        secretValid = mirrored.secretValid;
        queue.add(reportKey);
      }
      if (mirrored.error !== undefined) throw mirrored.error;
      for (const { kind, namespace, name } of decision.mirrors) {
        ctx.logger.info(
          kind === 'create'
            ? "The kubeconfig Secret was missing, and was made again from the provider's."
            : "The kubeconfig Secret was not as the provider's, and was written again from it.",
          { secretName: `${namespace}/${name}` },
        );
      }
      return done;
    }

    async function report(signal: AbortSignal): Promise<Result> {
      const decision = decide(observe(observer, heartbeat(), ctx.clock.now()));
      if (decision.kind === 'disconnected') {
        tellBindings(decision.heartbeating);
        return done;
      }
      // Mirroring waits for nothing, so that the first report needs no second one.
      if (secretValid === undefined && decision.secretValid !== undefined && decision.mirrors.length === 0)
        secretValid = decision.secretValid;
      return (await commit(decision, signal)) ? { kind: 'requeue', afterMs: decision.nextMs } : done;
    }

    /** False if the ClusterBinding has gone meanwhile: then its event brings the key back. */
    async function commit(
      { clusterBinding, validVersion, status }: Extract<Decision, { kind: 'report' }>,
      signal: AbortSignal,
    ): Promise<boolean> {
      let written: ClusterBinding | undefined;
      try {
        const conditions = secretValid === undefined ? [validVersion] : [secretValid, validVersion];
        written = await commitClusterBinding(provider.client, clusterBinding, status, conditions, {
          clock: ctx.clock,
          random: ctx.random,
          signal,
        });
      } catch (error) {
        if (signal.aborted) throw error;
        const message = messageOf(error);
        tellBindings(
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
      if (written !== clusterBinding) reports.spend(reportKey, ctx.clock.monotonic());
      clusterBindings.observe(written);
      if (status.lastHeartbeatTime !== undefined) {
        plan = { ...plan, periodMs: heartbeatPeriod(plan.intervalMs, ctx.random) };
        lastHeartbeatMs = ctx.clock.monotonic();
      }
      tellBindings(trueCondition(conditionTypes.heartbeating));
      tellRefusal(clusterBinding);
      return true;
    }

    /** The ClusterBinding is the provider's; whoever looks at the consumer has to hear of a kubeconfig that was not copied, too. */
    function tellRefusal(before: ClusterBinding): void {
      if (secretValid?.status !== 'False') return;
      const known = getCondition(before.status?.conditions, conditionTypes.secretValid);
      if (known !== undefined && hasSameState(known, secretValid)) return;
      for (const binding of connection.bindings.names()) {
        const object = bindings.get(binding);
        if (object === undefined) continue;
        const { apiVersion, kind, metadata } = object;
        consumer.events.record(
          { apiVersion, kind, name: metadata.name, uid: metadata.uid },
          { type: 'Warning', reason: secretValid.reason ?? 'SecretInvalid', message: secretValid.message ?? '' },
        );
      }
    }
  });
}
