import { type Setup, WriteBudget, createEfforts } from '@hawser/controller';
import type { ServedBindings } from '@hawser/konnector-connection';
import type { NewCondition } from '@hawser/kube-bind';
import { type RoundDecision, bindingKey, mirrorKey, reportKey } from './decide-round.js';
import { type HeartbeatPlan, type LastHeartbeat, heartbeatPeriod, pauseAfterHeartbeat } from './heartbeat.js';

/** State of one run for its connection; queues the keys that a change affects. */
export class ReportState {
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #served: ServedBindings;
  /** Limits writes that a provider can trigger by changing its ClusterBinding or its Secret. */
  readonly #budget = new WriteBudget();
  /** Limits the same for another konnector with this kubeconfig that writes its own version or Secret. */
  readonly #reports = new WriteBudget({ burst: 10, refillMs: 15_000 });
  /** By key: writes that the API server's answer lacked. */
  readonly #undone;
  #plan: HeartbeatPlan;
  /** Last heartbeat written by this process. */
  #lastHeartbeat: LastHeartbeat | undefined;
  #secretValid: NewCondition | undefined;
  #heartbeating: NewCondition | undefined;

  constructor(intervalMs: number, setup: Setup<'consumer' | 'provider'>, served: ServedBindings) {
    this.#setup = setup;
    this.#served = served;
    this.#undone = createEfforts(setup.clock, setup.random);
    this.#plan = { intervalMs, periodMs: heartbeatPeriod(intervalMs, setup.random) };
  }

  /** Result of the last mirroring; undefined while unknown. */
  get secretValid(): NewCondition | undefined {
    return this.#secretValid;
  }

  /** Report for every binding; undefined before the first report. */
  get heartbeating(): NewCondition | undefined {
    return this.#heartbeating;
  }

  get heartbeat(): HeartbeatPlan {
    if (this.#lastHeartbeat === undefined) return this.#plan;
    const notBeforeMs = pauseAfterHeartbeat(this.#plan, this.#lastHeartbeat, this.#setup.clock.monotonic());
    return { ...this.#plan, notBeforeMs };
  }

  waitMs(key: string): number {
    return this.#budgetOf(key).waitMs(key, this.#setup.clock.monotonic());
  }

  spend(key: string): void {
    this.#budgetOf(key).spend(key, this.#setup.clock.monotonic());
  }

  /** Notes that a write for `key` did not stay: the API server's answer lacked it. */
  undone(key: string): void {
    this.#undone.done(key);
  }

  /** Milliseconds until a dropped write may be repeated; 0: now. */
  undoneMs(key: string): number {
    return this.#undone.waits(key);
  }

  /** Notes a written heartbeat. `stays`: the API server has its time. */
  beat(stays: boolean): void {
    this.#plan = { ...this.#plan, periodMs: heartbeatPeriod(this.#plan.intervalMs, this.#setup.random) };
    this.#lastHeartbeat = { atMs: this.#setup.clock.monotonic(), stays };
  }

  follow(key: string, { secretValid, heartbeating }: RoundDecision): void {
    if (secretValid !== undefined && key === mirrorKey) this.mirrored(secretValid);
    // Mirroring that ended meanwhile knows more than this report.
    this.#secretValid ??= secretValid;
    if (heartbeating !== undefined) this.reportToBindings(heartbeating);
  }

  /** The next report includes the result of mirroring. */
  mirrored(secretValid: NewCondition): void {
    this.#secretValid = secretValid;
    this.#setup.look(reportKey, 'normal');
  }

  reportToBindings(heartbeating: NewCondition): void {
    this.#heartbeating = heartbeating;
    for (const binding of this.#served.names()) this.#setup.look(bindingKey(binding), 'normal');
  }

  #budgetOf(key: string): WriteBudget {
    return key === reportKey ? this.#reports : this.#budget;
  }
}
