import { type KubeObject, type Resource, getIfExists, isConflict, isNotFound, keyOf } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type Binding,
  type Connection,
  annotations as core,
  fieldManagers,
  getCondition,
  labels as coreLabels,
  resources as coreKbind,
} from '@hawser/core-kbind';
import {
  type APIServiceBinding,
  bindingOwnerReference,
  fieldManager,
  hawserAnnotations,
  resources,
} from '@hawser/kube-bind';
import { forEach } from '@hawser/unbinding';

import { bind, until, untilReady } from '../bind.js';
import { stepText } from '../step-text.js';
import { relate, swapClaims } from './carry-claims.js';
import { type MigratedAPI, type MigrationObserved, type MigrationSides, readPairs } from './observe.js';
import { type MarkTerms, type Pair, type PairPatches, pinnedUid, swapOf } from './pair-swap.js';
import { PAUSE_REASON, pauseReason } from './pause-reason.js';
import { type MigrationPlan, type MigrationStep, migrationStepText } from './plan.js';

export interface MigrateOptions extends MigrationSides {
  readonly clock: Clock;
  /** Called before each step and while waiting, with one line free of credentials. */
  readonly print: (line: string) => void;
  /** Limit for each wait, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Whether a konnector may work for the APIServiceBinding: it holds its Lease, or has sent the provider a recent
   * heartbeat.
   */
  readonly konnectorRuns: () => Promise<boolean>;
}

export type MigrateResult =
  | { readonly kind: 'migrated' }
  /** `what` did not happen in time. The same command continues from there; with the other `--to` it goes back. */
  | { readonly kind: 'waiting'; readonly what: string };

/** Leaves an object that changes all the time to the next run. */
const ATTEMPTS = 5;
/** Time for a konnector without a Lease to report that it has paused. */
const WITHOUT_LEASE_MS = 3_000;

/**
 * Carries out a plan without refusals, in its order. After each step, the cluster holds all that is needed to go on or
 * back: plan again, and run again. Makes or deletes no object and no copy.
 * @throws ApiError if an API server refuses
 */
export async function migrate(
  options: MigrateOptions,
  observed: MigrationObserved,
  { steps }: Pick<MigrationPlan, 'steps'>,
): Promise<MigrateResult> {
  for (const step of steps) {
    options.print(migrationStepText(step, stepText));
    const left = await carryOut(options, observed, step);
    if (left !== undefined) return { kind: 'waiting', what: left };
  }
  return { kind: 'migrated' };
}

/** Returns what it waits for, if that does not happen in time. */
async function carryOut(
  options: MigrateOptions,
  observed: MigrationObserved,
  step: MigrationStep,
): Promise<string | undefined> {
  const { connected } = options;
  switch (step.kind) {
    case 'make':
      await bind({ ...options, provider: connected }, observed, { ...noPlan, steps: [step.step] });
      return undefined;
    case 'awaitConnection':
      return await waitedFor(
        untilReady(options, {
          resource: coreKbind.connections,
          key: { name: step.name },
          title: `Connection "${step.name}"`,
        }),
      );
    case 'awaitReady':
      return await waitedFor(
        untilReady(options, {
          resource: coreKbind.clusterBindings,
          key: { name: step.name },
          title: `ClusterBinding "${step.name}"`,
        }),
      );
    case 'pause':
      return await pause(options, step);
    case 'pauseCore':
      await annotate(options, coreKbind.clusterBindings, step.binding, { [hawserAnnotations.paused]: PAUSE_REASON });
      return undefined;
    case 'resumeCore':
      await annotate(options, coreKbind.clusterBindings, step.binding, {
        [hawserAnnotations.paused]: null,
        [hawserAnnotations.release]: null,
      });
      return undefined;
    case 'swap':
      return await swapAll(options, observed, step);
    case 'giveCRD':
      await giveCRD(options, step);
      return undefined;
    case 'swapClaims':
      return await swapClaims(options, observed, step);
    case 'relate':
      return await relate(options, step);
    case 'releaseCore':
      return await releaseCore(options, step.binding);
    case 'resume':
      await annotate(options, resources.apiServiceBindings, step.binding, { [hawserAnnotations.paused]: null });
      return undefined;
  }
}

async function annotate(
  { consumer, signal }: MigrateOptions,
  resource: Resource,
  object: KubeObject,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const patch = { metadata: { uid: object.metadata.uid, annotations } };
  await consumer.patch(resource, keyOf(object), { type: 'merge', patch }, { signal });
}

const noPlan = { secret: '', resources: [], refusals: [], undecided: [] } as const;

async function waitedFor(ready: ReturnType<typeof untilReady>): Promise<string | undefined> {
  const result = await ready;
  return result.kind === 'waiting' ? result.what : undefined;
}

/** Pauses the binding: the konnector stops writing its objects, and reports so by condition `Paused`. */
async function pause(
  options: MigrateOptions,
  { binding, awaits }: Extract<MigrationStep, { kind: 'pause' }>,
): Promise<string | undefined> {
  const { consumer, clock, signal, timeoutMs, konnectorRuns, print } = options;
  const { name } = binding.metadata;
  const reason = pauseReason(clock.now());
  await annotate(options, resources.apiServiceBindings, binding, { [hawserAnnotations.paused]: reason });
  if (!awaits) return undefined;
  const runs = await konnectorRuns();
  const stopped = await until(clock, runs ? timeoutMs : WITHOUT_LEASE_MS, signal, async () => {
    const live = await consumer.get<APIServiceBinding>(resources.apiServiceBindings, { name }, { signal });
    const paused = live.status?.conditions?.find(({ type }) => type === 'Paused');
    return paused?.status === 'True' && paused.message?.includes(reason) === true ? true : undefined;
  });
  if (stopped === true) return undefined;
  if (runs)
    return `the konnector to say that it has paused APIServiceBinding "${name}". A Go konnector never does: stop it first, and try again once its last heartbeat is two intervals old`;
  print('No konnector of kube-bind.io holds the Lease, and the provider hears of none, so nothing has to stop.');
  return undefined;
}

async function swapAll(
  options: MigrateOptions,
  observed: MigrationObserved,
  { api, to }: Extract<MigrationStep, { kind: 'swap' }>,
): Promise<string | undefined> {
  const terms = await liveTerms(options, observed);
  if (terms.clusterUid === '') return 'the Connection to say the uid of this cluster';
  let left = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pending = (await readPairs(options, api.resource))
      .map((pair) => ({ pair, patches: swapOf(pair, to, terms) }))
      .filter(({ patches }) => patches.object !== undefined || patches.copy !== undefined);
    left = pending.length;
    if (left === 0) return undefined;
    await forEach(pending, async ({ pair, patches }) => {
      await swapOne(options, api, pair, patches, to === 'v2' ? fieldManagers.objects : fieldManager);
    });
  }
  return `${left} objects of ${api.name} that change all the time`;
}

/** Swaps the copy first: an object with the finalizer of a generation must find a copy of that generation. */
async function swapOne(
  { consumer, provider, signal }: MigrateOptions,
  { resource }: MigratedAPI,
  { object, copy }: Pair,
  patches: PairPatches,
  manager: string,
): Promise<void> {
  const options = { representation: 'metadata', fieldManager: manager, signal } as const;
  try {
    if (copy !== undefined && patches.copy !== undefined)
      await provider.patch(resource, keyOf(copy), { type: 'merge', patch: patches.copy }, options);
    if (patches.object !== undefined)
      await consumer.patch(resource, keyOf(object), { type: 'merge', patch: patches.object }, options);
  } catch (error) {
    // The object changed, or is being deleted: the next look shows which.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function liveTerms({ consumer, signal }: MigrateOptions, observed: MigrationObserved): Promise<MarkTerms> {
  const { clusterNamespace, clusterNamespaceUid } = observed;
  const { metadata } = await consumer.get<KubeObject>(resources.namespaces, { name: 'kube-system' }, { signal });
  const { items } = await consumer.list<Connection>(coreKbind.connections, { signal });
  return { clusterNamespace, clusterNamespaceUid, clusterUid: pinnedUid(items) || (metadata.uid ?? '') };
}

/**
 * Hands the CRD over in one write: from then on the konnector of the new generation owns it, and the other does not.
 */
async function giveCRD(
  { consumer, signal }: MigrateOptions,
  { api, to, binding, connection }: Extract<MigrationStep, { kind: 'giveCRD' }>,
): Promise<void> {
  const { name } = api.crd.metadata;
  const live = await consumer.get<KubeObject>(resources.customResourceDefinitions, { name }, { signal });
  const { uid, resourceVersion, ownerReferences = [] } = live.metadata;
  const others = ownerReferences.filter((owner) => owner.uid !== binding.metadata.uid);
  const metadata =
    to === 'v2'
      ? {
          ownerReferences: others,
          labels: { [coreLabels.managed]: 'true' },
          annotations: { [core.connection]: connection },
        }
      : {
          ownerReferences: [...others, bindingOwnerReference(binding)],
          labels: { [coreLabels.managed]: null },
          annotations: { [core.connection]: null, [core.schemaHash]: null },
        };
  await consumer.patch(
    resources.customResourceDefinitions,
    { name },
    { type: 'merge', patch: { metadata: { uid, resourceVersion, ...metadata } } },
    { signal, representation: 'metadata' },
  );
}

/** Once the ClusterBinding is gone, the konnector stops writing its objects. */
async function releaseCore(options: MigrateOptions, binding: Binding): Promise<string | undefined> {
  const { consumer, clock, signal, timeoutMs } = options;
  const key = keyOf(binding);
  const { uid } = binding.metadata;
  try {
    await annotate(options, coreKbind.clusterBindings, binding, { [hawserAnnotations.release]: PAUSE_REASON });
    await consumer.delete(coreKbind.clusterBindings, key, { preconditions: { uid }, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  let lastLine = '';
  const gone = await until(clock, timeoutMs, signal, async () => {
    const live = await getIfExists<Binding>(consumer, coreKbind.clusterBindings, key, { signal });
    if (live === undefined || live.metadata.uid !== uid) return true;
    const ready = getCondition(live.status?.conditions, 'Ready');
    lastLine = ready === undefined || ready.status === 'True' ? '' : ` (${ready.reason}: ${ready.message})`;
    return undefined;
  });
  return gone === true ? undefined : `ClusterBinding "${binding.metadata.name}" to go${lastLine}`;
}
