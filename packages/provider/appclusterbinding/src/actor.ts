import { type ApiError, isTerminating, objectKey } from '@hawser/client';
import type { Setup } from '@hawser/controller';
import type { AppClusterBinding } from '@hawser/klutch';
import { getCondition, hawserAnnotations } from '@hawser/kube-bind';
import { act } from './act.js';
import type { Caches } from './caches.js';
import { covers } from './covers.js';
import { decide } from './decide.js';
import type { Seen, Step } from './decide-step.js';
import { type Action, children } from './decision.js';
import type { Deployment, Settings } from './observed.js';
import { type ConditionType, conditionTypes, problemCondition } from './problem.js';
import { type Report, withReport } from './status.js';

/** Takes one step for an AppClusterBinding, and reports refusals in its status. */
export class Actor {
  readonly #setup: Setup<'provider'>;
  readonly #caches: Caches;
  readonly #settings: Settings;
  /** AppClusterBinding → see `Observed.unreachable`. */
  readonly #unreachable = new Map<string, string>();

  constructor(setup: Setup<'provider'>, caches: Caches, settings: Settings) {
    this.#setup = setup;
    this.#caches = caches;
    this.#settings = settings;
  }

  unreachable(key: string): string | undefined {
    return this.#unreachable.get(key);
  }

  forget(key: string): void {
    this.#unreachable.delete(key);
  }

  async act(step: Step, seen: Seen, signal: AbortSignal): Promise<void> {
    if (step.type === 'report') return this.#report(step.binding, step.report, signal);
    if (step.type === 'tellWhatStays') {
      this.#reportWhatStays(step.binding, step.stays);
      return undefined;
    }
    if (seen.kind === 'gone') return undefined;
    const { binding } = seen.observed;
    const { child, object } = await act(this.#setup.clusters.provider.client, binding, step, signal);
    if (object === undefined) return undefined;
    this.#caches.observe(child, object);
    if (step.type === 'deploy') this.#rememberDeployment(objectKey(binding), step.object, object as Deployment);
    return undefined;
  }

  /** Reports nothing about a read. */
  async reportRefusal(
    { message }: ApiError,
    seen: Seen | undefined,
    step: Step | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    if (seen === undefined || seen.kind === 'gone') return;
    if (step === undefined || step.type === 'report' || step.type === 'tellWhatStays') return;
    const { conditions, without }: Report =
      seen.kind === 'standing' ? decide(this.#settings, seen.observed) : { conditions: [], without: [] };
    const condition = seen.kind === 'standing' ? conditionOf(step) : conditionTypes.cleanedUp;
    const refused = problemCondition({ kind: 'refused', condition, message });
    const others = conditions.filter(({ type }) => type !== condition);
    await this.#report(seen.observed.binding, { conditions: [...others, refused], without }, signal);
  }

  async #report(binding: AppClusterBinding, report: Report, signal: AbortSignal): Promise<void> {
    const { self } = this.#caches;
    const now = this.#setup.clock.now();
    const events = report.conditions.flatMap(({ type, status, severity, reason = '', message = '' }) => {
      const before = getCondition(binding.status?.conditions, type);
      const isBad = status === 'False' && (severity === 'Error' || severity === 'Warning');
      const isNews = before?.reason !== reason || before.message !== message;
      return isBad && isNews ? [{ type: 'Warning', reason, message } as const] : [];
    });
    await self.commitStatus(
      binding,
      // A restored backup may have undone the deletion that is reported.
      (status, latest) =>
        isTerminating(latest) === isTerminating(binding)
          ? { ...status, conditions: withReport(latest, report, now) }
          : status,
      signal,
      events,
    );
  }

  #reportWhatStays(binding: AppClusterBinding, stays: readonly string[]): void {
    this.#setup.logger.info('An AppClusterBinding is cleaned up.', {
      key: objectKey(binding),
      stays: stays.join(', '),
    });
    if (stays.length === 0) return;
    this.#caches.self.recordEvent(binding, {
      type: 'Normal',
      reason: 'NamespacesKept',
      message: `The AppClusterBinding is gone, and this stays with all that is in it: ${stays.join(', ')}. An AppClusterBinding of the same name gets it back; what is not needed the provider has to delete.`,
    });
  }

  /**
   * A webhook may change a Deployment at each write: then it is written again only when the wanted content differs, or
   * another client has changed it.
   */
  #rememberDeployment(key: string, wanted: Deployment, { spec, metadata }: Deployment): void {
    if (covers(spec, wanted.spec)) {
      this.#unreachable.delete(key);
      return;
    }
    const hash = wanted.metadata.annotations?.[hawserAnnotations.wantedHash] ?? '';
    this.#unreachable.set(key, `${hash}/${metadata.generation ?? 0}`);
  }
}

/** The condition that shows a failure of the action. */
function conditionOf(action: Action): ConditionType {
  switch (action.type) {
    case 'setFinalizers':
      return conditionTypes.rootNamespaceReady;
    case 'deploy':
      return conditionTypes.konnectorDeployed;
    case 'deleteAnswered':
      return conditionTypes.apisBound;
    case 'create':
    case 'patch':
    case 'delete':
      return children[action.child].condition;
  }
}
