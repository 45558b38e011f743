import { type Connection, conditionTypes, getCondition } from '@hawser/core-kbind';
import type { Metrics } from '@hawser/telemetry';

/** State of a Connection, for health checks. */
export interface ConnectionState {
  readonly name: string;
  /** Whether its bindings can be served. */
  readonly isReady: boolean;
  /** Why it is not ready; empty: it is, or no condition is set yet. */
  readonly problem: string;
  /** Number of ClusterBindings and Bindings that name it. */
  readonly bindings: number;
}

export function stateOf({ metadata: { name }, status }: Connection, bindings: number): ConnectionState {
  const ready = getCondition(status?.conditions, conditionTypes.ready);
  const isReady = ready?.status === 'True';
  return {
    name,
    isReady,
    problem: isReady || ready === undefined ? '' : `${ready.reason}: ${ready.message}`,
    bindings,
  };
}

/** Reports whether each Connection works. */
export interface ReadyMetric {
  /** `isReady` undefined: the Connection is gone. */
  set(connection: string, isReady: boolean | undefined): void;
  /** Removes all reported values. */
  close(): void;
}

export function createReadyMetric(metrics: Metrics): ReadyMetric {
  const gauge = metrics.gauge({
    name: 'hawser_konnector_connection_ready',
    help: 'Whether the Connection of core.kbind.io works (1) or not (0).',
    labels: ['connection'],
  });
  const reported = new Set<string>();
  const set: ReadyMetric['set'] = (connection, isReady) => {
    if (isReady === undefined) {
      reported.delete(connection);
      gauge.remove({ connection });
      return;
    }
    reported.add(connection);
    gauge.set(isReady ? 1 : 0, { connection });
  };
  return {
    set,
    close: () => {
      for (const connection of [...reported]) set(connection, undefined);
    },
  };
}
