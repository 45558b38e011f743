import { equal, type JsonObject } from '@hawser/json';
import type { Sync } from '@hawser/konnector-sync';
import type { Logger } from '@hawser/telemetry';

import type { SyncConfig, SyncPlan } from './plan-syncs.js';

/** A running or starting sync. */
export interface RunningSync {
  readonly config: SyncConfig;
  readonly sync: Sync;
}

/** The syncs of one export, by resource name (`databases.example.com`). */
export interface SyncSet {
  /**
   * Starts, replaces and stops syncs to match the plans. An unchanged sync keeps running. Does not wait for caches: one
   * that cannot fill delays no other. Calls must not overlap.
   */
  apply(plans: readonly SyncPlan[]): Promise<void>;
  stop(): Promise<void>;
  all(): readonly RunningSync[];
}

/** Creates an empty set. `lifetime` aborts starting syncs; afterwards none starts. */
export function createSyncSet(create: (config: SyncConfig) => Sync, logger: Logger, lifetime: AbortSignal): SyncSet {
  const running = new Map<string, RunningSync>();
  const stopOne = async (name: string, why: string): Promise<void> => {
    const entry = running.get(name);
    if (entry === undefined) return;
    running.delete(name);
    await entry.sync.stop();
    logger.info('sync stopped', { resource: name, reason: why });
  };
  return {
    async apply(plans) {
      const named = new Set(plans.map(({ name }) => name));
      for (const name of [...running.keys()]) if (!named.has(name)) await stopOne(name, 'NotExported');
      for (const plan of plans) {
        switch (plan.kind) {
          case 'keep':
            break;
          case 'stop':
            await stopOne(plan.name, plan.reason);
            break;
          case 'run': {
            const current = running.get(plan.name);
            if (current !== undefined && equal(asJson(current.config), asJson(plan.config))) break;
            await stopOne(plan.name, 'Reconfigured');
            // The end of the connection has stopped all syncs: a new one would run beside the next konnector's.
            if (lifetime.aborted) return;
            const sync = create(plan.config);
            running.set(plan.name, { config: plan.config, sync });
            void start(plan.name, sync);
            break;
          }
        }
      }
    },
    async stop() {
      await Promise.all([...running.keys()].map((name) => stopOne(name, 'Stopped')));
    },
    all: () => [...running.values()],
  };

  /** Only a stop ends a start early. */
  async function start(name: string, sync: Sync): Promise<void> {
    try {
      await sync.start(lifetime);
      logger.info('sync started', { resource: name });
    } catch (error) {
      logger.debug('sync ended before it had started', { resource: name, error });
    }
  }
}

function asJson(config: SyncConfig): JsonObject {
  return { ...config };
}
