import { messageOf, statusPatch } from '@hawser/client';
import { type Outcome, type Setup, done } from '@hawser/controller';
import { recordConditions, recordUndone } from '@hawser/konnector-connection';
import {
  type ClusterBinding,
  type NewCondition,
  conditionReasons,
  conditionTypes,
  falseCondition,
  getCondition,
  hasSameState,
  trueCondition,
} from '@hawser/kube-bind';
import { commitBinding, commitClusterBinding, nextBindingStatus, nextClusterBindingStatus } from './commit.js';
import type { ConnectionObserver } from './connection-observer.js';
import { type Action, bindingKey, mirrorKey, reportKey, reportedConditions } from './decide-round.js';
import { mirrorSecrets } from './mirror-secrets.js';
import type { ReportState } from './report-state.js';

type ActionOf<Type extends Action['type']> = Extract<Action, { readonly type: Type }>;

/** Fields that Klutch's ClusterBindings lack, as do the API server's answers. */
const UNKNOWN_TO_KLUTCH: readonly string[] = ['consumerSecretRef'];

/** Writes for one connection: Secrets on the consumer, the report on the provider, its result on the bindings. */
export class Actor {
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #caches: Pick<ConnectionObserver, 'bindings' | 'clusterBindings' | 'all'>;
  readonly #state: ReportState;

  constructor(
    setup: Setup<'consumer' | 'provider'>,
    caches: Pick<ConnectionObserver, 'bindings' | 'clusterBindings' | 'all'>,
    state: ReportState,
  ) {
    this.#setup = setup;
    this.#caches = caches;
    this.#state = state;
  }

  async act(action: Action, signal: AbortSignal): Promise<Outcome | undefined> {
    switch (action.type) {
      case 'mirrorSecrets':
        await this.#mirror(action, signal);
        return undefined;
      case 'report':
        return (await this.#report(action, signal)) ? undefined : done;
      case 'tellBinding':
        await this.#reportToBinding(action, signal);
        return undefined;
    }
  }

  async #mirror({ mirrors, source, secretValid }: ActionOf<'mirrorSecrets'>, signal: AbortSignal): Promise<void> {
    const { clusters, logger } = this.#setup;
    const clients = { consumer: clusters.consumer.client, provider: clusters.provider.client };
    this.#state.spend(mirrorKey);
    const mirrored = await mirrorSecrets(clients, source, mirrors, secretValid, signal);
    if (mirrored.secretValid !== undefined) this.#state.mirrored(mirrored.secretValid);
    if (mirrored.error !== undefined) throw mirrored.error;
    for (const { kind, namespace, name } of mirrors) {
      logger.info(
        kind === 'create'
          ? "The kubeconfig Secret was missing, and was made again from the provider's."
          : "The kubeconfig Secret was not as the provider's, and was written again from it.",
        { secretName: `${namespace}/${name}` },
      );
    }
  }

  /** False if the ClusterBinding has gone meanwhile: then its event brings the key back. */
  async #report(action: ActionOf<'report'>, signal: AbortSignal): Promise<boolean> {
    const { clock, random, clusters } = this.#setup;
    const { clusterBinding, status, secretValid, validVersion } = action;
    const conditions = reportedConditions(secretValid, validVersion);
    let written: ClusterBinding | undefined;
    try {
      written = await commitClusterBinding(clusters.provider.client, clusterBinding, status, conditions, {
        clock,
        random,
        signal,
      });
    } catch (error) {
      if (!signal.aborted) this.#state.reportToBindings(reportFailed(messageOf(error)));
      throw error;
    }
    if (written === undefined) return false;
    if (written !== clusterBinding) {
      this.#state.spend(reportKey);
      const stands = written.status ?? {};
      const next = nextClusterBindingStatus(stands, status, conditions, clock.now());
      const lacking = Object.keys(statusPatch(stands, next) ?? {}).filter(
        (field) => !UNKNOWN_TO_KLUTCH.includes(field),
      );
      if (lacking.length > 0) this.#reportUndone(lacking);
    }
    this.#caches.clusterBindings.observe(written);
    const { lastHeartbeatTime } = status;
    if (lastHeartbeatTime !== undefined) this.#state.beat(written.status?.lastHeartbeatTime === lastHeartbeatTime);
    this.#state.reportToBindings(trueCondition(conditionTypes.heartbeating));
    this.#reportRefusal(clusterBinding, secretValid);
    return true;
  }

  /** The provider owns the ClusterBinding and its Events, so the bindings carry the report. */
  #reportUndone(lacking: readonly string[]): void {
    this.#state.undone(reportKey);
    const { events } = this.#setup.clusters.consumer;
    for (const binding of this.#caches.all())
      recordUndone(
        events,
        binding,
        "the status of the provider's ClusterBinding",
        lacking.map((field) => `status.${field}`),
      );
  }

  async #reportToBinding({ binding, heartbeating }: ActionOf<'tellBinding'>, signal: AbortSignal): Promise<void> {
    const { clock, random, clusters } = this.#setup;
    const { client, events } = clusters.consumer;
    const written = await commitBinding(client, binding, heartbeating, { clock, random, signal });
    if (written === undefined || written === binding) return;
    const key = bindingKey(binding.metadata.name);
    this.#state.spend(key);
    const stands = written.status ?? {};
    if (statusPatch(stands, nextBindingStatus(stands, heartbeating, clock.now())) !== undefined) {
      this.#state.undone(key);
      recordUndone(events, binding, 'condition Heartbeating of this binding');
    }
    recordConditions(events, binding, [heartbeating]);
    this.#caches.bindings.observe(written);
  }

  /** The provider owns the ClusterBinding. Consumer users must also learn that a kubeconfig was not copied. */
  #reportRefusal(before: ClusterBinding, secretValid: NewCondition | undefined): void {
    if (secretValid?.status !== 'False') return;
    const known = getCondition(before.status?.conditions, conditionTypes.secretValid);
    if (known !== undefined && hasSameState(known, secretValid)) return;
    for (const { apiVersion, kind, metadata } of this.#caches.all()) {
      this.#setup.clusters.consumer.events.record(
        { apiVersion, kind, name: metadata.name, uid: metadata.uid },
        { type: 'Warning', reason: secretValid.reason ?? 'SecretInvalid', message: secretValid.message ?? '' },
      );
    }
  }
}

function reportFailed(message: string): NewCondition {
  return falseCondition(
    conditionTypes.heartbeating,
    conditionReasons.clusterBindingUpdateFailed,
    'Warning',
    `No heartbeat could be reported: ${message}`,
  );
}
