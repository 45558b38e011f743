import { type Client, type KubeObject, getIfExists, isApiError } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type DeletionBudget, createDeletionBudget } from '@hawser/controller';
import { type APIServiceBinding, type APIServiceExport, hawserAnnotations, resources } from '@hawser/kube-bind';

import type { Absence, Hold } from './observed.js';

export interface WithdrawalsOptions {
  readonly consumer: Client;
  readonly clock: Clock;
  /** Bindings with objects deleted per minute after a witnessed export deletion. Default 10. */
  readonly perMinute?: number | undefined;
}

/** Decides which bindings with proven-gone exports may be deleted with their objects. */
export interface Withdrawals {
  /** Notes an existing export. */
  seen(one: APIServiceExport): void;
  /** Notes a missing export; `witnessed`: the watch reported its deletion. */
  gone(name: string, witnessed: boolean): void;
  /** Forgets a binding that is gone, or whose export is back. */
  settled(binding: string): void;
  /** Weighs all proven-gone exports, before {@link answer}. `approved`: the operator's annotation on the bundle. */
  weigh(
    gone: readonly APIServiceBinding[],
    approved: KubeObject,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Absence>>;
}

export function createWithdrawals({ consumer, clock, perMinute }: WithdrawalsOptions): Withdrawals {
  /** Exports whose deletion the watch reported. */
  const witnessed = new Set<string>();
  const budgets: Readonly<Record<Hold['why'], DeletionBudget>> = {
    many: createDeletionBudget({ clock, perMinute }),
    unseen: createDeletionBudget({ clock, perMinute: 0 }),
  };

  return {
    seen({ metadata }) {
      if (metadata.deletionTimestamp === undefined) witnessed.delete(metadata.name);
      else witnessed.add(metadata.name);
    },
    gone(name, isWitnessed) {
      if (isWitnessed) witnessed.add(name);
    },
    settled(binding) {
      for (const budget of Object.values(budgets)) budget.withdraw(binding);
    },
    async weigh(gone, bundle, signal) {
      const answers = new Map<string, Absence>();
      const weighed: { readonly name: string; readonly why: Hold['why'] }[] = [];
      for (const binding of gone) {
        const { name, uid = '' } = binding.metadata;
        try {
          if (await hasObjects(consumer, binding, signal)) {
            const why = witnessed.has(name) ? 'many' : 'unseen';
            budgets[why === 'many' ? 'unseen' : 'many'].withdraw(name);
            budgets[why].waits(name, uid);
            weighed.push({ name, why });
          } else answers.set(name, { kind: 'gone' });
        } catch (error) {
          if (!isApiError(error) || error.code === 'Aborted') throw error;
          answers.set(name, {
            kind: 'unproven',
            why: `it cannot be found out whether it has objects, which would go with it: ${error.message}`,
          });
        }
      }
      const approved = bundle.metadata.annotations?.[hawserAnnotations.approveDeletions] ?? '';
      for (const budget of Object.values(budgets)) budget.approve(approved);
      for (const { name, why } of weighed) {
        const { held } = budgets[why];
        answers.set(
          name,
          budgets[why].answer(name) === 'held' && held !== undefined
            ? { kind: 'held', why, count: held.count, token: held.token }
            : { kind: 'gone' },
        );
      }
      return answers;
    },
  };
}

interface ServedCrd extends KubeObject {
  readonly spec?: { readonly versions?: readonly { readonly name: string; readonly served: boolean }[] };
}

/** Reads live, for all resources of the binding: without objects a deletion loses nothing. */
async function hasObjects(consumer: Client, { status }: APIServiceBinding, signal: AbortSignal): Promise<boolean> {
  for (const { group = '', resource } of status?.boundSchemas ?? []) {
    const crd = await getIfExists<ServedCrd>(
      consumer,
      resources.customResourceDefinitions,
      { name: `${resource}.${group}` },
      { signal },
    );
    const version = crd?.spec?.versions?.find(({ served }) => served)?.name;
    if (version === undefined) continue;
    const { items } = await consumer.list<KubeObject>(
      { group, version, resource },
      { limit: 1, representation: 'metadata', signal },
    );
    if (items.length > 0) return true;
  }
  return false;
}
