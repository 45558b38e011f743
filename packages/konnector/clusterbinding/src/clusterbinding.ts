import { type Controller, type Reconciler, type Setup, controller } from '@hawser/controller';
import { type ProviderConnection, fillInformers } from '@hawser/konnector-connection';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { Actor } from './act.js';
import { ConnectionObserver } from './connection-observer.js';
import { type Round, type RoundDecision, decideRound, mirrorKey, reportKey } from './decide-round.js';
import { ReportState } from './report-state.js';

export interface ClusterBindingOptions {
  readonly connection: ProviderConnection;
  /** Version of the konnector: a release (`v0.8.1`), or a build's version string (spec/konnector.md §2.2). */
  readonly version: string;
  /** Allowed kubeconfig content; others are not copied. Default: only what is always allowed. */
  readonly policy?: KubeconfigPolicy | undefined;
  /** Reported as heartbeatInterval; a heartbeat follows after at most half of it. Default 5 min, like the peers. */
  readonly heartbeatIntervalMs?: number | undefined;
}

/** Shorter than usual: heartbeats resume soon after the provider returns. */
const backoff = { initialMs: 200, capMs: 30_000 };

/**
 * Keeps one provider connection alive (spec/konnector.md §7.2). Reports heartbeat, version and Secret on its
 * ClusterBinding. Copies its kubeconfig Secret to the consumer's if they differ. Reports on every APIServiceBinding of
 * the connection whether the reports arrive.
 */
export function createClusterBinding(options: ClusterBindingOptions): Controller<'consumer' | 'provider'> {
  const { heartbeatIntervalMs = 300_000 } = options;
  if (!(heartbeatIntervalMs > 0))
    throw new RangeError(`heartbeatIntervalMs must be above 0, not ${heartbeatIntervalMs}`);
  return controller('clusterbinding', (setup: Setup<'consumer' | 'provider'>): Reconciler<Round, RoundDecision> => {
    const state = new ReportState(heartbeatIntervalMs, setup, options.connection.bindings);
    const observer = new ConnectionObserver(setup, options, state);
    const actor = new Actor(setup, observer, state);
    return {
      backoff,
      filled: (signal) => fillInformers([observer.bindings, observer.clusterBindings], signal),
      initial: () => [mirrorKey, reportKey],
      observe: (key) => observer.observe(key),
      decide: decideRound,
      decided: (key, _, decision) => {
        state.follow(key, decision);
      },
      act: (action, signal) => actor.act(action, signal),
    };
  });
}
