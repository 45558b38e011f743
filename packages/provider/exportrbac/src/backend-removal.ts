import { isForbidden } from '@hawser/client';
import { type ControllerContext, done, park, type Result, type WriteBudget } from '@hawser/controller';
import type { Dialect } from '@hawser/kube-bind';
import type { ObjectReference } from '@hawser/telemetry';
import { removeBackendObject } from './act.js';
import { type BackendObject, decideBackend } from './backend-rights.js';
import { keptEvent, refusedEvent, removedEvent, runningEvent } from './events.js';
import { rbacVersion } from './rbac-objects.js';
import type { RightsCaches } from './rights-caches.js';
import type { SettledConsumers } from './settled-consumers.js';
import type { OnceReporter } from './once-reporter.js';

export interface BackendRemovalParts {
  readonly dialect: Dialect;
  readonly ctx: ControllerContext<'provider'>;
  readonly caches: RightsCaches;
  readonly settled: SettledConsumers;
  readonly reporter: OnceReporter;
  /** Another running backend recreates removed objects. */
  readonly budget: WriteBudget;
}

/** Removes the rights that another backend granted to all consumers together. */
export class BackendRemoval {
  readonly #parts: BackendRemovalParts;
  /** Consumer last reported as awaited: reported once, however long it takes. */
  #waitedFor: string | undefined;
  /** By name: uid of the removed object; the cache may still have it. */
  readonly #removed = new Map<string, string>();

  constructor(parts: BackendRemovalParts) {
    this.#parts = parts;
  }

  async reconcile(signal: AbortSignal): Promise<Result> {
    const { dialect, caches, settled, reporter } = this.#parts;
    const { remove, keep } = decideBackend(dialect, caches.ofOtherBackend());
    for (const one of keep) reporter.report(`keep/${keyOf(one)}`, referenceTo(one), keptEvent(one));
    if (remove.length === 0) return done;
    // The shared rights stay until every consumer has its own.
    const waiting = [...caches.consumers()].find((consumer) => !settled.has(consumer));
    if (waiting !== undefined) {
      this.#reportWaiting(waiting);
      return park;
    }
    for (const one of remove) {
      const waitMs = await this.#remove(one, signal);
      if (waitMs > 0) return { kind: 'requeue', afterMs: waitMs };
    }
    return done;
  }

  #reportWaiting(waitingFor: string): void {
    if (waitingFor !== this.#waitedFor)
      this.#parts.ctx.logger.warn('The shared rights of another backend stay until every consumer has its own.', {
        waitingFor,
      });
    this.#waitedFor = waitingFor;
  }

  /** Milliseconds until the removal is permitted; 0: removed. */
  async #remove(one: BackendObject, signal: AbortSignal): Promise<number> {
    const { ctx, reporter, budget } = this.#parts;
    const { client, events } = ctx.clusters.provider;
    const key = keyOf(one);
    const { name, uid = '' } = one.object.metadata;
    if (this.#removed.get(key) === uid) return 0;
    if (this.#removed.has(key)) reporter.report(`again/${key}`, referenceTo(one), runningEvent(one));
    const waitMs = budget.waitMs(key, ctx.clock.monotonic());
    if (waitMs > 0) return waitMs;
    budget.spend(key, ctx.clock.monotonic());
    ctx.logger.info('Rights that another backend gave to all consumers together are removed.', {
      kind: one.kind,
      name,
    });
    try {
      await removeBackendObject(client, one, signal);
    } catch (error) {
      if (isForbidden(error)) reporter.report(`refused/${key}`, referenceTo(one), refusedEvent(error.message));
      throw error;
    }
    events.record(referenceTo(one), removedEvent(one));
    this.#removed.set(key, uid);
    return 0;
  }
}

function keyOf({ kind, object }: BackendObject): string {
  return `${kind}/${object.metadata.name}`;
}

function referenceTo({ kind, object: { metadata } }: BackendObject): ObjectReference {
  return { apiVersion: rbacVersion, kind, name: metadata.name, uid: metadata.uid };
}
