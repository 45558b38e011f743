import { isRefusal } from '@hawser/client';
import { type ControllerContext, ControllerError, done, type Result, WriteBudget } from '@hawser/controller';
import { controllerName } from '@hawser/kube-bind';
import { act, type ActOptions } from './act.js';
import { decide } from './decide.js';
import type { Action } from './decision.js';
import { refusedEvent } from './events.js';
import type { PendingNamespaces } from './namespace-rights.js';
import { observe } from './observe.js';
import type { Settings } from './observed.js';
import type { RightsCaches } from './rights-caches.js';
import type { SettledConsumers } from './settled-consumers.js';
import type { OnceReporter } from './once-reporter.js';

/** Rounds per consumer: bindings, conditions, withdrawals, a last check. Only concurrent writers need more. */
const maxRounds = 6;

export interface ConsumerRightsParts {
  readonly settings: Settings;
  readonly ctx: ControllerContext<'provider'>;
  readonly caches: RightsCaches;
  readonly pending: PendingNamespaces;
  readonly settled: SettledConsumers;
  readonly reporter: OnceReporter;
  /** A consumer can remove its own conditions. */
  readonly budget: WriteBudget;
}

/** Grants one consumer its rights, and withdraws unneeded ones. */
export class ConsumerRights {
  readonly #parts: ConsumerRightsParts;
  readonly #actOptions: ActOptions;
  /** A consumer can create and delete requests. */
  readonly #requestBudget = new WriteBudget({ burst: 200, refillMs: 200 });

  constructor(parts: ConsumerRightsParts) {
    const {
      settings: { dialect },
      ctx: { clock, random, clusters },
      caches: { exports, requests, boundSchemas, roleBindings, clusterRoleBindings },
    } = parts;
    const { client } = clusters.provider;
    this.#parts = parts;
    this.#actOptions = {
      dialect,
      client,
      clock,
      random,
      exports,
      requests,
      boundSchemas,
      roleBindings,
      clusterRoleBindings,
    };
  }

  async reconcile(clusterNamespace: string, signal: AbortSignal): Promise<Result> {
    const waiters = this.#parts.pending.takeWaiters(clusterNamespace);
    try {
      const result = await this.#grantAndWithdraw(clusterNamespace, signal);
      for (const waiter of waiters) waiter.resolve();
      return result;
    } catch (error) {
      for (const waiter of waiters) waiter.reject(error);
      throw error;
    }
  }

  async #grantAndWithdraw(clusterNamespace: string, signal: AbortSignal): Promise<Result> {
    const { settings, ctx, caches, pending, settled, reporter } = this.#parts;
    for (let round = 1; round <= maxRounds; round++) {
      const observed = observe(caches, pending, clusterNamespace);
      const { actions, verdict } = decide(settings, observed, ctx.clock.now());
      if (actions.length === 0) {
        settled.set(clusterNamespace, verdict.kind !== 'refused' || !verdict.unfinished);
        reporter.forget(clusterNamespace);
        return done;
      }
      const deferredMs = await this.#actAll(clusterNamespace, actions, signal);
      if (deferredMs > 0) return { kind: 'requeue', afterMs: deferredMs };
    }
    throw new ControllerError('NotSettled', controllerName('exportrbac', settings.dialect));
  }

  /** Milliseconds until delayed writes are permitted; 0: none. @throws {ApiError} of the first failed action */
  async #actAll(clusterNamespace: string, actions: readonly Action[], signal: AbortSignal): Promise<number> {
    let deferredMs = 0;
    let failure: { readonly error: unknown } | undefined;
    for (const action of actions) {
      // Delayed writes block nothing else: otherwise rights would stay while their consumer removes conditions. Nor do
      // refused ones, such as a condition for which the consumer left no room.
      if (failure !== undefined && action.type !== 'withdraw') continue;
      const waitMs = this.#spend(clusterNamespace, action);
      deferredMs = Math.max(deferredMs, waitMs);
      if (waitMs > 0) continue;
      const about = { clusterNamespace, action: action.type, name: nameOf(action) };
      this.#parts.ctx.logger.info('The rights of a consumer change.', about);
      try {
        await act(this.#actOptions, action, signal);
      } catch (error) {
        if (isRefusal(error)) this.#reportRefused(clusterNamespace, error.message);
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
    return deferredMs;
  }

  /** Milliseconds until a write that the consumer can provoke is permitted; 0: now, and it is counted. */
  #spend(clusterNamespace: string, { type }: Action): number {
    if (type !== 'writeCondition' && type !== 'narrow' && type !== 'writeRequest') return 0;
    const { clock } = this.#parts.ctx;
    const budget = type === 'writeRequest' ? this.#requestBudget : this.#parts.budget;
    const waitMs = budget.waitMs(clusterNamespace, clock.monotonic());
    if (waitMs === 0) budget.spend(clusterNamespace, clock.monotonic());
    return waitMs;
  }

  #reportRefused(clusterNamespace: string, message: string): void {
    const { settings, caches, reporter } = this.#parts;
    const [found] = caches.exports.list(clusterNamespace);
    if (found === undefined) return;
    const { apiVersion } = settings.dialect;
    const { name, uid } = found.metadata;
    const regarding = { apiVersion, kind: 'APIServiceExport', name, namespace: clusterNamespace, uid };
    reporter.report(clusterNamespace, regarding, refusedEvent(message));
  }
}

function nameOf(action: Action): string {
  switch (action.type) {
    case 'grant':
      return `${action.binding.metadata.namespace ?? ''}/${action.binding.metadata.name}`;
    case 'repair':
    case 'withdraw':
    case 'removeBackendBinding':
      return `${action.existing.metadata.namespace ?? ''}/${action.existing.metadata.name}`;
    case 'narrow':
      return action.schema.metadata.name;
    case 'writeCondition':
      return action.export.metadata.name;
    case 'writeRequest':
      return action.request.metadata.name;
  }
}
