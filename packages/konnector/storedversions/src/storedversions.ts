import { type KubeObject, type OwnerReference, getIfExists, isConflict, isForbidden, isNotFound } from '@hawser/client';
import { type Controller, type Result, createController, done } from '@hawser/controller';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type Dialect,
  type NewCondition,
  bindingOwners,
  commitStatus,
  conditionTypes,
  falseCondition,
  getCondition,
  removeCondition,
  resources,
  setCondition,
} from '@hawser/kube-bind';

import { type Decision, decide } from './decide.js';
import { type Migration, MAX_REFUSED, migrate } from './migrate.js';

export interface StoredVersionsOptions {
  /** How long a storage version must have been seen before objects are rewritten: all API servers must have heard of it. Default 10 000 ms. */
  readonly settleMs?: number | undefined;
  /** Default 250. */
  readonly pageSize?: number | undefined;
  /** Objects of one resource that are rewritten at the same time. Default 8. */
  readonly atOnce?: number | undefined;
  /** Of the consumer. */
  readonly dialect: Dialect;
}

const NAME = 'storedversions';
/** What was refused is tried again after this long although nothing changed. */
const RETRY_MS = 10 * 60_000;

/**
 * When the storage version of a bound CRD has moved, has its objects stored anew and then takes the old versions out of `status.storedVersions`, without which the API server lets no version go.
 * Works on the consumer alone, on CRDs that an APIServiceBinding owns. All its state is in the CRD: interrupted at any point, it begins anew, and what is done costs no write.
 */
export function createStoredVersions({
  settleMs = 10_000,
  pageSize = 250,
  atOnce = 8,
  dialect,
}: StoredVersionsOptions): Controller<'consumer'> {
  return createController<'consumer'>(NAME, async (ctx, scope) => {
    const { client, informers, events } = ctx.clusters.consumer;
    const crds = scope.informer(
      informers.acquire<KubeObject>({ resource: resources.customResourceDefinitions, projection: 'metadata' }),
    );
    /** By CRD: since when its spec is seen as it is. */
    const seen = new Map<string, { readonly state: string; readonly atMs: number }>();
    const queue = scope.openQueue({ name: NAME, concurrency: 1, reconcile });
    scope.own(
      crds.addHandler({
        onAdd: look,
        onUpdate: (_, crd) => {
          look(crd);
        },
        onDelete: ({ metadata }) => {
          seen.delete(metadata.name);
        },
      }),
    );
    await crds.synced(scope.signal);

    function look(crd: KubeObject): void {
      if (ownerOf(crd) !== undefined) queue.add(crd.metadata.name);
    }

    function ownerOf(crd: KubeObject): OwnerReference | undefined {
      return bindingOwners(crd, dialect.apiVersion)[0];
    }

    async function reconcile(name: string, signal: AbortSignal): Promise<Result> {
      const cached = crds.get(name);
      if (cached === undefined || ownerOf(cached) === undefined) return done;
      const crd = await getIfExists<CustomResourceDefinition>(
        client,
        resources.customResourceDefinitions,
        { name },
        { signal },
      );
      const owner = crd === undefined ? undefined : ownerOf(crd);
      if (crd === undefined || owner === undefined) return done;
      const decision = decide(crd, seenForMs(crd), settleMs);
      switch (decision.kind) {
        case 'nothing':
          await tell(owner, name, undefined, signal);
          return done;
        case 'wait':
          return { kind: 'requeue', afterMs: decision.ms };
        case 'unreachable':
          await tell(
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
          return migrateAll(crd, owner, decision, signal);
      }
    }

    function seenForMs({ metadata: { name, uid, generation } }: CustomResourceDefinition): number {
      const state = `${uid ?? ''}/${generation ?? 0}`;
      const known = seen.get(name);
      const now = ctx.clock.monotonic();
      if (known?.state === state) return now - known.atMs;
      seen.set(name, { state, atMs: now });
      return 0;
    }

    async function migrateAll(
      crd: CustomResourceDefinition,
      owner: OwnerReference,
      { resource, storage, old }: Extract<Decision, { kind: 'migrate' }>,
      signal: AbortSignal,
    ): Promise<Result> {
      const { name } = crd.metadata;
      try {
        const migration = await migrate(client, resource, { pageSize, atOnce, signal });
        if (migration.refused.length > 0) {
          await tell(owner, name, problem('StoredObjectsRefused', name, old, refusedText(migration)), signal);
          return { kind: 'requeue', afterMs: RETRY_MS, priority: 'background' };
        }
        if (!(await trim(crd, storage, signal))) return { kind: 'requeue', afterMs: 0 };
        ctx.logger.info('stored versions migrated', { crd: name, storage, old, objects: migration.objects });
        await tell(owner, name, undefined, signal);
        const { apiVersion, kind, name: binding, uid } = owner;
        events.record(
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
        await tell(
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
    async function trim(
      { metadata: { name, uid, generation } }: CustomResourceDefinition,
      storage: string,
      signal: AbortSignal,
    ): Promise<boolean> {
      const live = await client.get<CustomResourceDefinition>(
        resources.customResourceDefinitions,
        { name },
        { signal },
      );
      if (live.metadata.uid !== uid || live.metadata.generation !== generation) return false;
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

    /** One condition for all CRDs of a binding: the words of one are replaced by those of the next, and none takes back what is said of another. */
    async function tell(
      { name, uid }: OwnerReference,
      crd: string,
      condition: NewCondition | undefined,
      signal: AbortSignal,
    ): Promise<void> {
      const binding = await getIfExists<APIServiceBinding>(client, resources.apiServiceBindings, { name }, { signal });
      if (binding === undefined || binding.metadata.uid !== uid) return;
      const type = conditionTypes.storedVersionsMigrated;
      const before = getCondition(binding.status?.conditions, type);
      if (condition === undefined && before?.message?.startsWith(subject(crd)) !== true) return;
      const now = ctx.clock.now();
      await commitStatus<APIServiceBinding>(
        client,
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
        { clock: ctx.clock, random: ctx.random, signal },
      );
      if (condition === undefined || before?.reason === condition.reason) return;
      const { apiVersion, kind } = binding;
      events.record(
        { apiVersion, kind, name, uid },
        { type: 'Warning', reason: condition.reason ?? type, message: condition.message ?? '' },
      );
    }
  });
}

/** How what is said of a CRD begins; its blank tells it from a CRD with a longer name. */
function subject(crd: string): string {
  return `Objects of ${crd} `;
}

/** Without severity: everything works, but versions cannot go. */
function problem(
  reason: 'StoredVersionsUnreachable' | 'StoredObjectsRefused' | 'StoredVersionsForbidden',
  crd: string,
  old: readonly string[],
  cause: string,
): NewCondition {
  return falseCondition(
    conditionTypes.storedVersionsMigrated,
    reason,
    '',
    `${subject(crd)}may still be stored as ${old.join(', ')}, which therefore cannot go: ${cause}`,
  );
}

function refusedText({ refused }: Migration): string {
  const named = refused
    .slice(0, 3)
    .map(({ object, message }) => `${object} (${message})`)
    .join('; ');
  const count =
    refused.length >= MAX_REFUSED
      ? `at least ${MAX_REFUSED} are`
      : refused.length === 1
        ? 'one is'
        : `${refused.length} are`;
  return `${count} refused as they stand: ${named}. Correct them, or what refuses them; it is tried again every 10 minutes.`;
}
