import { type KubeObject, type OwnerReference, getIfExists, isConflict, isForbidden, isNotFound } from '@hawser/client';
import { type ControllerContext, type Queue, type Result, type Scope, done } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type Dialect,
  type NewCondition,
  bindingOwners,
  commitStatus,
  conditionTypes,
  getCondition,
  removeCondition,
  resources,
  setCondition,
} from '@hawser/kube-bind';

import { type Decision, decide } from './decide.js';
import { migrate } from './migrate.js';
import { problem, refusedText, subject } from './problem.js';
import type { StoredVersionsOptions } from './storedversions.js';

/** What was refused is tried again after this long although nothing changed. */
const RETRY_MS = 10 * 60_000;

/** One run of the controller of stored versions. */
export class RunningStoredVersions {
  readonly #ctx: ControllerContext<'consumer'>;
  readonly #scope: Scope;
  readonly #dialect: Dialect;
  readonly #settleMs: number;
  readonly #pace: { readonly pageSize: number; readonly atOnce: number };
  readonly #crds: InformerHandle<KubeObject>;
  /** By CRD: since when its spec is seen as it is. */
  readonly #seen = new Map<string, { readonly state: string; readonly atMs: number }>();
  readonly #queue: Queue;

  constructor(
    { settleMs = 10_000, pageSize = 250, atOnce = 8, dialect }: StoredVersionsOptions,
    name: string,
    ctx: ControllerContext<'consumer'>,
    scope: Scope,
  ) {
    this.#ctx = ctx;
    this.#scope = scope;
    this.#dialect = dialect;
    this.#settleMs = settleMs;
    this.#pace = { pageSize, atOnce };
    this.#crds = scope.informer(
      ctx.clusters.consumer.informers.acquire<KubeObject>({
        resource: resources.customResourceDefinitions,
        projection: 'metadata',
      }),
    );
    this.#queue = scope.openQueue({
      name,
      concurrency: 1,
      reconcile: (crd, signal) => this.#reconcile(crd, signal),
    });
    scope.own(
      this.#crds.addHandler({
        onAdd: (crd) => {
          this.#look(crd);
        },
        onUpdate: (_, crd) => {
          this.#look(crd);
        },
        onDelete: ({ metadata }) => {
          this.#seen.delete(metadata.name);
        },
      }),
    );
  }

  /** Resolves when its cache is filled. */
  async fill(): Promise<void> {
    await this.#crds.synced(this.#scope.signal);
  }

  #look(crd: KubeObject): void {
    if (this.#ownerOf(crd) !== undefined) this.#queue.add(crd.metadata.name);
  }

  #ownerOf(crd: KubeObject): OwnerReference | undefined {
    return bindingOwners(crd, this.#dialect.apiVersion)[0];
  }

  async #reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const cached = this.#crds.get(name);
    if (cached === undefined || this.#ownerOf(cached) === undefined) return done;
    const crd = await getIfExists<CustomResourceDefinition>(
      this.#ctx.clusters.consumer.client,
      resources.customResourceDefinitions,
      { name },
      { signal },
    );
    const owner = crd === undefined ? undefined : this.#ownerOf(crd);
    if (crd === undefined || owner === undefined) return done;
    const decision = decide(crd, this.#seenForMs(crd), this.#settleMs);
    switch (decision.kind) {
      case 'nothing':
        await this.#tell(owner, name, undefined, signal);
        return done;
      case 'wait':
        return { kind: 'requeue', afterMs: decision.ms };
      case 'unreachable':
        await this.#tell(
          owner,
          name,
          problem(
            'StoredVersionsUnreachable',
            name,
            decision.old,
            'no version of it is served, so that its objects can be neither read nor written. The provider has to serve one.',
          ),
          signal,
        );
        return done;
      case 'migrate':
        return this.#migrateAll(crd, owner, decision, signal);
    }
  }

  #seenForMs({ metadata: { name, uid, generation } }: CustomResourceDefinition): number {
    const state = `${uid ?? ''}/${generation ?? 0}`;
    const known = this.#seen.get(name);
    const now = this.#ctx.clock.monotonic();
    if (known?.state === state) return now - known.atMs;
    this.#seen.set(name, { state, atMs: now });
    return 0;
  }

  async #migrateAll(
    crd: CustomResourceDefinition,
    owner: OwnerReference,
    { resource, storage, old }: Extract<Decision, { kind: 'migrate' }>,
    signal: AbortSignal,
  ): Promise<Result> {
    const { name } = crd.metadata;
    try {
      const migration = await migrate(this.#ctx.clusters.consumer.client, resource, { ...this.#pace, signal });
      if (migration.refused.length > 0) {
        await this.#tell(owner, name, problem('StoredObjectsRefused', name, old, refusedText(migration)), signal);
        return { kind: 'requeue', afterMs: RETRY_MS, priority: 'background' };
      }
      if (!(await this.#trim(crd, storage, signal))) return { kind: 'requeue', afterMs: 0 };
      this.#ctx.logger.info('stored versions migrated', { crd: name, storage, old, objects: migration.objects });
      await this.#tell(owner, name, undefined, signal);
      const { apiVersion, kind, name: binding, uid } = owner;
      this.#ctx.clusters.consumer.events.record(
        { apiVersion, kind, name: binding, uid },
        {
          type: 'Normal',
          reason: 'StoredVersionsMigrated',
          message: `${migration.objects} ${name} are stored as ${storage}; ${old.join(', ')} may go.`,
        },
      );
      return done;
    } catch (error) {
      // Somebody has changed the CRD meanwhile: its next event brings it back.
      if (isConflict(error) || isNotFound(error)) return { kind: 'requeue', afterMs: 1_000 };
      if (!isForbidden(error)) throw error;
      await this.#tell(
        owner,
        name,
        problem(
          'StoredVersionsForbidden',
          name,
          old,
          `${error.status?.message ?? error.message}. The operator grants it (chart: storedVersionMigration), or turns the migration off.`,
        ),
        signal,
      );
      return { kind: 'requeue', afterMs: RETRY_MS, priority: 'background' };
    }
  }

  /** Whether the spec is still the one that was migrated to; only then the list is cut. */
  async #trim(
    { metadata: { name, uid, generation } }: CustomResourceDefinition,
    storage: string,
    signal: AbortSignal,
  ): Promise<boolean> {
    const live = await this.#ctx.clusters.consumer.client.get<CustomResourceDefinition>(
      resources.customResourceDefinitions,
      { name },
      { signal },
    );
    if (live.metadata.uid !== uid || live.metadata.generation !== generation) return false;
    const patch = {
      metadata: { uid, resourceVersion: live.metadata.resourceVersion },
      status: { storedVersions: [storage] },
    };
    await this.#ctx.clusters.consumer.client.patch(
      resources.customResourceDefinitions,
      { name },
      { type: 'merge', patch },
      { subresource: 'status', representation: 'metadata', signal },
    );
    return true;
  }

  /** One condition for all CRDs of a binding: the words of one are replaced by those of the next, and none takes back what is said of another. */
  async #tell(
    { name, uid }: OwnerReference,
    crd: string,
    condition: NewCondition | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const binding = await getIfExists<APIServiceBinding>(
      this.#ctx.clusters.consumer.client,
      resources.apiServiceBindings,
      { name },
      { signal },
    );
    if (binding === undefined || binding.metadata.uid !== uid) return;
    const type = conditionTypes.storedVersionsMigrated;
    const before = getCondition(binding.status?.conditions, type);
    if (condition === undefined && before?.message?.startsWith(subject(crd)) !== true) return;
    const now = this.#ctx.clock.now();
    await commitStatus<APIServiceBinding>(
      this.#ctx.clusters.consumer.client,
      resources.apiServiceBindings,
      binding,
      (status) => ({
        ...status,
        conditions: [
          ...(condition === undefined
            ? removeCondition(status.conditions, type)
            : setCondition(status.conditions, condition, now)),
        ],
      }),
      { clock: this.#ctx.clock, random: this.#ctx.random, signal },
    );
    if (condition === undefined || before?.reason === condition.reason) return;
    const { apiVersion, kind } = binding;
    this.#ctx.clusters.consumer.events.record(
      { apiVersion, kind, name, uid },
      { type: 'Warning', reason: condition.reason ?? type, message: condition.message ?? '' },
    );
  }
}
