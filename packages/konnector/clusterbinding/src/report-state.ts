import { type Setup, WriteBudget, createEfforts } from '@hawser/controller';
import type { ServedBindings } from '@hawser/konnector-connection';
import type { NewCondition } from '@hawser/kube-bind';
import { type RoundDecision, bindingKey, mirrorKey, reportKey } from './decide-round.js';
import { type HeartbeatPlan, type LastHeartbeat, heartbeatPeriod, pauseAfterHeartbeat } from './heartbeat.js';

/** What one run remembers of its connection, and who has to be looked at when that changes. */
export class ReportState {
  readonly #setup: Setup<'consumer' | 'provider'>;
  readonly #served: ServedBindings;
  /** What a provider can make us write, by changing its ClusterBinding or its Secret. */
  readonly #budget = new WriteBudget();
  /** The same for what another konnector with this kubeconfig writes into the ClusterBinding: its version or its Secret, too. */
  readonly #reports = new WriteBudget({ burst: 10, refillMs: 15_000 });
  /** By key: writes whose answer lacked what was written. */
  readonly #undone;
  #plan: HeartbeatPlan;
  /** The last one that this process has written. */
  #lastHeartbeat: LastHeartbeat | undefined;
  #secretValid: NewCondition | undefined;
  #heartbeating: NewCondition | undefined;

  constructor(intervalMs: number, setup: Setup<'consumer' | 'provider'>, served: ServedBindings) {
    this.#setup = setup;
    this.#served = served;
    this.#undone = createEfforts(setup.clock, setup.random);
    this.#plan = { intervalMs, periodMs: heartbeatPeriod(intervalMs, setup.random) };
  }

  /** What the last mirroring says; undefined while nothing can be said. */
  get secretValid(): NewCondition | undefined {
    return this.#secretValid;
  }

  /** What to say on every binding; undefined before the first report. */
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

  /** The write for `key` does not stay: the API server answered without it. */
  undone(key: string): void {
    this.#undone.done(key);
  }

  /** So long what does not stay is not written again, in milliseconds; 0: it may be. */
  undoneMs(key: string): number {
    return this.#undone.waits(key);
  }

  /** A heartbeat was written. `stays`: the API server has its time. */
  beat(stays: boolean): void {
    this.#plan = { ...this.#plan, periodMs: heartbeatPeriod(this.#plan.intervalMs, this.#setup.random) };
    this.#lastHeartbeat = { atMs: this.#setup.clock.monotonic(), stays };
  }

  follow(key: string, { secretValid, heartbeating }: RoundDecision): void {
    if (secretValid !== undefined && key === mirrorKey) this.mirrored(secretValid);
    // A report knows no more than the mirroring that has ended meanwhile.
    this.#secretValid ??= secretValid;
    if (heartbeating !== undefined) this.tellBindings(heartbeating);
  }

  /** The next report says what came of mirroring. */
  mirrored(secretValid: NewCondition): void {
    this.#secretValid = secretValid;
    this.#setup.look(reportKey, 'normal');
  }

  tellBindings(heartbeating: NewCondition): void {
    this.#heartbeating = heartbeating;
    for (const binding of this.#served.names()) this.#setup.look(bindingKey(binding), 'normal');
  }

  #budgetOf(key: string): WriteBudget {
    return key === reportKey ? this.#reports : this.#budget;
  }
}
