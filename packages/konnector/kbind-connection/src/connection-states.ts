import { type Connection, conditionTypes, getCondition } from '@hawser/core-kbind';
import type { Metrics } from '@hawser/telemetry';

/** How a Connection stands, for health checks. */
export interface ConnectionState {
  readonly name: string;
  /** Whether its bindings can be served. */
  readonly isReady: boolean;
  /** Why not; empty: it is, or nothing has been told yet. */
  readonly problem: string;
  /** ClusterBindings and Bindings that name it. */
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

/** Tells of each Connection whether it works. */
export interface ReadyMetric {
  /** `isReady` undefined: there is no such Connection any more. */
  set(connection: string, isReady: boolean | undefined): void;
  /** Takes back all that it has said. */
  close(): void;
}

export function createReadyMetric(metrics: Metrics): ReadyMetric {
  const gauge = metrics.gauge({
    name: 'hawser_konnector_connection_ready',
    help: 'Whether the Connection of core.kbind.io works (1) or not (0).',
    labels: ['connection'],
  });
  const told = new Set<string>();
  const set: ReadyMetric['set'] = (connection, isReady) => {
    if (isReady === undefined) {
      told.delete(connection);
      gauge.remove({ connection });
      return;
    }
    told.add(connection);
    gauge.set(isReady ? 1 : 0, { connection });
  };
  return {
    set,
    close: () => {
      for (const connection of [...told]) set(connection, undefined);
    },
  };
}
