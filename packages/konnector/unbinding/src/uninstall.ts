import {
  type Client,
  type KubeObject,
  type Resource,
  getIfExists,
  isApiError,
  isConflict,
  isNotFound,
} from '@hawser/client';
import { type Clock, type Random, sleep } from '@hawser/clock';
import { createEfforts } from '@hawser/controller';
import { BindingStatuses } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type Dialect,
  bindingOwners,
  getCondition,
  hawserAnnotations,
  releasedBecause,
  resources,
  servedResource,
  unbindPolicyOf,
} from '@hawser/kube-bind';
import type { EventRecorder } from '@hawser/telemetry';

import { type Found, type Inventory, secretRefs, takeInventory } from './inventory.js';
import type { LeaseName } from './lease-holder.js';
import { listServed } from './live.js';
import { UNBOUND } from './reasons.js';
import { releaseObjects } from './release-objects.js';
import { settle } from './settle.js';

export interface UninstallOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  readonly lease: LeaseName;
  /** Keep the kubeconfig Secrets. */
  readonly keepSecrets?: boolean;
  /** Break open bindings that cannot end under their policy, for this reason. */
  readonly release?: string | undefined;
  /** Time for bindings to end, in milliseconds. */
  readonly timeoutMs: number;
  /** Runs a konnector until it is stopped: only a konnector deletes copies. Absent: one is running. */
  readonly startKonnector?: (() => Promise<{ stop(): Promise<void> }>) | undefined;
  /** Receives progress, in words. */
  readonly print: (line: string) => void;
}

const STEP_MS = 500;
const CRD_GONE_WITHIN_MS = 60_000;

/**
 * Removes everything of the inventory's dialect from a consumer cluster. First bindings, by their policy; then
 * finalizers of objects, CRDs, Secrets, records, the Lease and the CRDs of the dialect. An obstacle keeps only what
 * depends on it. Works without a konnector, and may be repeated. Resolves to what is left, read live.
 */
export async function uninstall(options: UninstallOptions, before: Inventory, signal: AbortSignal): Promise<Inventory> {
  const { client, clock, lease, print } = options;
  const { terms } = before;
  const { dialect } = terms;
  const formerSecrets = new Set(secretRefs(before.bindings, before.bundles));
  for (const { metadata } of before.bundles)
    await remove(
      client,
      resources.apiServiceBindingBundles,
      { namespace: '', name: metadata.name, uid: metadata.uid },
      print,
      'APIServiceBindingBundle',
      signal,
    );
  await removeBindings(options, before.bindings, signal);
  const bindings = await listServed<APIServiceBinding>(client, resources.apiServiceBindings, { signal });
  const standing = new Set(bindings.map(({ metadata }) => metadata.uid));
  for (const { crd, ours } of before.crds) {
    if (ours && !bindingOwners(crd, dialect.apiVersion).some(({ uid }) => standing.has(uid)))
      await removeCRD(options, dialect, crd, signal);
    // Another owner has the CRD, and no binding is left to handle its objects.
    else if (!ours && bindings.length === 0) await release(options, dialect, crd, signal);
  }
  if (bindings.length > 0) return takeInventory({ client, terms, clock, lease, formerSecrets }, signal);

  const now = await takeInventory({ client, terms, clock, lease, formerSecrets }, signal);
  if (options.keepSecrets !== true)
    for (const secret of now.secrets) await remove(client, resources.secrets, secret, print, 'Secret', signal);
  for (const record of now.records) {
    print(
      `Record of what was orphaned (${record.namespace}/${record.name}): ${record.data['count'] ?? ''} objects of binding ${record.data['binding'] ?? ''}, because "${record.data['reason'] ?? ''}":\n${record.data['objects'] ?? ''}`,
    );
    await remove(client, resources.configMaps, record, print, 'ConfigMap', signal);
  }
  if (now.lease?.holder === undefined) {
    if (now.lease !== undefined)
      await remove(client, resources.leases, { ...lease, uid: now.lease.uid }, print, 'Lease', signal);
    for (const crd of now.contractCRDs)
      await remove(client, resources.customResourceDefinitions, crd, print, 'CRD', signal);
    await until(clock, CRD_GONE_WITHIN_MS, signal, async () =>
      (
        await Promise.all(
          now.contractCRDs.map(({ name }) =>
            getIfExists(client, resources.customResourceDefinitions, { name }, { signal }),
          ),
        )
      ).every((crd) => crd === undefined),
    );
  }
  return takeInventory({ client, terms, clock, lease, formerSecrets }, signal);
}

/** Deletes the bindings, and carries out their policies, until they are gone or time is up. */
async function removeBindings(
  options: UninstallOptions,
  bindings: readonly APIServiceBinding[],
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, print, startKonnector, lease } = options;
  const needed = bindings.some(({ metadata }) => unbindPolicyOf(metadata).policy === 'Delete');
  const konnector = needed ? await startKonnector?.() : undefined;
  if (konnector !== undefined) print('A konnector runs in this process, so that copies can be deleted.');
  const pass = {
    client,
    statuses: new BindingStatuses({ client, events: options.events, clock, random: options.random }),
    random: options.random,
    holds: createEfforts(clock, options.random),
    events: options.events,
    recordNamespace: lease.namespace,
    now: () => clock.now(),
  };
  const names = new Set(bindings.map(({ metadata }) => metadata.name));
  const reported = new Map<string, string>();
  try {
    await until(clock, options.timeoutMs, signal, async () => {
      const crds = await listServed<KubeObject>(client, resources.customResourceDefinitions, {
        representation: 'metadata',
        signal,
      });
      const left = (await listServed<APIServiceBinding>(client, resources.apiServiceBindings, { signal })).filter(
        ({ metadata }) => names.has(metadata.name),
      );
      for (const binding of left) {
        // While the binding stands, this ensures the finalizer that its policy needs.
        const { binding: current } = await settle(pass, binding, crds, signal);
        if (current === undefined) continue;
        if (binding.metadata.deletionTimestamp === undefined)
          await remove(
            client,
            resources.apiServiceBindings,
            { namespace: '', name: binding.metadata.name, uid: binding.metadata.uid },
            print,
            'APIServiceBinding',
            signal,
          );
        else if (options.release !== undefined && releasedBecause(current.metadata) === undefined)
          await breakOpen(options, current, options.release, signal);
        const message = getCondition(current.status?.conditions, UNBOUND)?.message;
        if (message !== undefined && reported.get(binding.metadata.name) !== message)
          print(`${binding.metadata.name}: ${message}`);
        reported.set(binding.metadata.name, message ?? '');
      }
      return left.length === 0;
    });
  } finally {
    await konnector?.stop();
  }
}

async function breakOpen(
  { client, print }: UninstallOptions,
  { metadata: { name, uid } }: APIServiceBinding,
  reason: string,
  signal: AbortSignal,
): Promise<void> {
  print(`${name} is broken open`);
  await tolerant(
    client.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { uid, annotations: { [hawserAnnotations.release]: reason } } } },
      { signal },
    ),
  );
}

/** Deletes the CRD and releases its objects until it is gone: unheld objects go by themselves. */
async function removeCRD(
  options: UninstallOptions,
  dialect: Dialect,
  crd: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<void> {
  const { client, clock, print } = options;
  const { name, uid } = crd.metadata;
  await remove(client, resources.customResourceDefinitions, { namespace: '', name, uid }, print, 'CRD', signal);
  await until(clock, CRD_GONE_WITHIN_MS, signal, async () => {
    const live = await getIfExists<KubeObject>(client, resources.customResourceDefinitions, { name }, { signal });
    if (live === undefined || live.metadata.uid !== uid) return true;
    await release(options, dialect, crd, signal);
    return false;
  });
}

async function release(
  { client, print }: UninstallOptions,
  dialect: Dialect,
  crd: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<void> {
  const resource = servedResource(crd.spec);
  if (resource === undefined) return;
  try {
    const released = await releaseObjects(client, resource, signal, dialect);
    if (released > 0) print(`released ${released} objects of ${crd.metadata.name}`);
  } catch (error) {
    // Not served any more: it is gone by now. The last look shows everything else.
    if (!isApiError(error)) throw error;
    if (error.code !== 'NotFound') print(`objects of ${crd.metadata.name} cannot be released: ${error.message}`);
  }
}

async function remove(
  client: Client,
  resource: Resource,
  { namespace, name, uid }: Found,
  print: (line: string) => void,
  kind: string,
  signal: AbortSignal,
): Promise<void> {
  const key = namespace === '' ? { name } : { namespace, name };
  const done = await tolerant(
    client.delete(resource, key, { preconditions: { uid }, propagationPolicy: 'Background', signal }),
  );
  if (done !== undefined) print(`deleted ${kind} ${namespace === '' ? name : `${namespace}/${name}`}`);
}

/** Treats gone and recreated as done; the last look checks. */
async function tolerant<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}

/** Tries until `reached`, or until time is up: then the last look shows what is left. */
async function until(
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal,
  reached: () => Promise<boolean>,
): Promise<void> {
  const end = clock.monotonic() + timeoutMs;
  while (!(await reached()) && clock.monotonic() < end) await sleep(clock, STEP_MS, signal);
}
