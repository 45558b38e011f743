import { isForbidden } from '@hawser/client';
import type { Outcome, Setup } from '@hawser/controller';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type NewCondition,
  conditionTypes,
  getCondition,
  resources,
} from '@hawser/kube-bind';
import { BindingStatuses } from '@hawser/konnector-connection';
import type { EventMessage } from '@hawser/telemetry';
import { type Step, withCondition } from './decide.js';
import { type MigrateOptions, migrate } from './migrate.js';
import { problem, refusedText } from './problem.js';

/** Retry period for refused rewrites, even without a change. */
const RETRY_MS = 10 * 60_000;

type Migrate = Extract<Step, { type: 'migrate' }>;

/** Takes one step for a CRD. */
export class Actor {
  readonly #setup: Setup<'consumer'>;
  readonly #pace: Omit<MigrateOptions, 'signal'>;
  readonly #statuses: BindingStatuses;

  constructor(setup: Setup<'consumer'>, pace: Omit<MigrateOptions, 'signal'>) {
    this.#setup = setup;
    this.#pace = pace;
    const { clock, random, clusters } = setup;
    this.#statuses = new BindingStatuses({ ...clusters.consumer, clock, random });
  }

  async act(step: Step, signal: AbortSignal): Promise<Outcome | undefined> {
    switch (step.type) {
      case 'writeCondition': {
        const waitMs = await this.#report(step.binding, step.crd, step.condition, signal);
        return waitMs === 0 ? undefined : { kind: 'requeue', afterMs: waitMs, priority: 'background' };
      }
      case 'migrate':
        return this.#migrate(step, signal);
    }
  }

  async #migrate(step: Migrate, signal: AbortSignal): Promise<Outcome | undefined> {
    const { crd, binding, resource, storage, old } = step;
    const { name } = crd.metadata;
    const { client } = this.#setup.clusters.consumer;
    const losses = client.recovery?.losses;
    let failed: NewCondition;
    try {
      const migration = await migrate(client, resource, { ...this.#pace, signal });
      if (migration.refused.length === 0) {
        if (await this.#trim(crd, storage, losses, signal)) {
          this.#setup.logger.info('stored versions migrated', { crd: name, storage, old, objects: migration.objects });
          this.#recordEvent(binding, {
            type: 'Normal',
            reason: 'StoredVersionsMigrated',
            message: `${migration.objects} ${name} are stored as ${storage}; ${old.join(', ')} may go.`,
          });
        }
        return undefined;
      }
      failed = problem('StoredObjectsRefused', name, old, refusedText(migration));
    } catch (error) {
      if (!isForbidden(error)) throw error;
      failed = problem(
        'StoredVersionsForbidden',
        name,
        old,
        `${error.status?.message ?? error.message}. The operator grants it (chart: storedVersionMigration), or turns the migration off.`,
      );
    }
    if (binding !== undefined) await this.#report(binding, name, failed, signal);
    return { kind: 'requeue', afterMs: RETRY_MS, priority: 'background' };
  }

  /**
   * Trims the list only if the spec is still the one migrated to, and no connection was lost since `losses`: another
   * connection may lead to a restored backup, with objects in an old version. Then another pass is necessary.
   */
  async #trim(
    { metadata: { name, uid, generation } }: CustomResourceDefinition,
    storage: string,
    losses: number | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client } = this.#setup.clusters.consumer;
    const live = await client.get<CustomResourceDefinition>(resources.customResourceDefinitions, { name }, { signal });
    if (live.metadata.uid !== uid || live.metadata.generation !== generation) return false;
    if (client.recovery?.losses !== losses) return false;
    const patch = {
      metadata: { uid, resourceVersion: live.metadata.resourceVersion },
      status: { storedVersions: [storage] },
    };
    await client.patch(
      resources.customResourceDefinitions,
      { name },
      { type: 'merge', patch },
      { subresource: 'status', representation: 'metadata', signal },
    );
    return true;
  }

  /** Returns the milliseconds until the write is permitted, where an earlier one did not stay; 0: written. */
  async #report(
    binding: APIServiceBinding,
    crd: string,
    condition: NewCondition | undefined,
    signal: AbortSignal,
  ): Promise<number> {
    const now = this.#setup.clock.now();
    const { waitMs } = await this.#statuses.write(
      binding,
      (status) => ({ ...status, conditions: [...(withCondition(status, crd, condition, now) ?? [])] }),
      signal,
    );
    const type = conditionTypes.storedVersionsMigrated;
    const isNews =
      condition !== undefined && getCondition(binding.status?.conditions, type)?.reason !== condition.reason;
    if (waitMs === 0 && isNews)
      this.#recordEvent(binding, {
        type: 'Warning',
        reason: condition.reason ?? type,
        message: condition.message ?? '',
      });
    return waitMs;
  }

  #recordEvent(binding: APIServiceBinding | undefined, event: EventMessage): void {
    if (binding === undefined) return;
    const {
      apiVersion,
      kind,
      metadata: { name, uid },
    } = binding;
    this.#setup.clusters.consumer.events.record({ apiVersion, kind, name, uid }, event);
  }
}
