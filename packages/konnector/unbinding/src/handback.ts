import {
  type Client,
  type KubeObject,
  type Resource,
  getIfExists,
  isConflict,
  isNotFound,
  objectKey,
} from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  type APIServiceBindingStatus,
  type Dialect,
  bindingOwners,
  commitStatus,
  conditionTypes,
  finalizers,
  hawserPrefix,
  holdsObjects,
  resources,
  servedResource,
  setSummary,
  unbindingUnder,
} from '@hawser/kube-bind';

import type { CRDFound, Inventory } from './inventory.js';
import { forEach, listServed } from './live.js';
import { releaseObjects } from './release-objects.js';

/**
 * Conditions that a Go konnector knows on an APIServiceBinding or a bundle (`spec/kube-bind-api.md §10`); all others
 * are ours.
 */
const GO_CONDITIONS: ReadonlySet<string> = new Set([
  conditionTypes.ready,
  conditionTypes.secretValid,
  conditionTypes.informersSynced,
  conditionTypes.heartbeating,
  conditionTypes.connected,
  conditionTypes.schemaInSync,
  conditionTypes.synced,
]);

/** Our additions to one object. */
export interface OursOn {
  readonly resource: Resource;
  /** `APIServiceBinding databases`, `databases.example.com team-a/x`. */
  readonly what: string;
  readonly key: { readonly namespace?: string | undefined; readonly name: string };
  readonly annotations: readonly string[];
  readonly finalizer: boolean;
  readonly conditions: readonly string[];
}

export interface Handback {
  readonly dialect: Dialect;
  readonly ours: readonly OursOn[];
  /** CRDs whose binding is gone or terminating, with held objects: a Go konnector never releases them. */
  readonly unbound: readonly CRDFound[];
  /** Why the handback is impossible now: one sentence each. */
  readonly obstacles: readonly string[];
}

/** Lists what a Go konnector would not understand, read live. Writes nothing. */
export async function planHandback(client: Client, inventory: Inventory, signal: AbortSignal): Promise<Handback> {
  const ours: OursOn[] = [];
  for (const binding of inventory.bindings)
    ours.push(oursOn(binding, resources.apiServiceBindings, `APIServiceBinding ${binding.metadata.name}`));
  for (const bundle of inventory.bundles)
    ours.push(oursOn(bundle, resources.apiServiceBindingBundles, `APIServiceBindingBundle ${bundle.metadata.name}`));
  for (const { crd } of inventory.crds) {
    const resource = servedResource(crd.spec);
    if (resource === undefined) continue;
    // None if it has just been deleted.
    for (const object of await listServed<KubeObject>(client, resource, { representation: 'metadata', signal })) {
      ours.push({
        ...oursOn(object, resource, `${crd.metadata.name} ${objectKey(object)}`),
        conditions: [],
        finalizer: false,
      });
    }
  }
  return {
    dialect: inventory.terms.dialect,
    ours: ours.filter(
      ({ annotations, finalizer, conditions }) => finalizer || annotations.length > 0 || conditions.length > 0,
    ),
    unbound: unboundOf(inventory),
    obstacles: obstaclesOf(inventory),
  };
}

/** `APIServiceBinding databases: annotations …, finalizer …` */
export function handbackText({ what, annotations, finalizer, conditions }: OursOn): string {
  const parts = [
    ...(annotations.length === 0 ? [] : [`annotations ${annotations.join(', ')}`]),
    ...(finalizer ? [`finalizer ${finalizers.unbind}`] : []),
    ...(conditions.length === 0 ? [] : [`conditions ${conditions.join(', ')}`]),
  ];
  return `${what}: ${parts.join('; ')}`;
}

/**
 * Removes our additions, and releases what a Go konnector would hold for ever; changes nothing else of the objects. May
 * be repeated.
 */
export async function handback(
  client: Client,
  { dialect, ours, unbound }: Handback,
  clock: Clock,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  await forEach(ours, async (one) => {
    await removeConditions(client, one, clock, random, signal);
    await removeMetadata(client, one, signal);
  });
  for (const { crd } of unbound) {
    const resource = servedResource(crd.spec);
    if (resource !== undefined) await releaseObjects(client, resource, signal, dialect);
  }
}

function unboundOf({ terms: { dialect }, bindings, crds }: Inventory): readonly CRDFound[] {
  const holding = new Set(
    bindings.filter(({ metadata }) => holdsObjects(metadata)).map(({ metadata }) => metadata.uid),
  );
  return crds.filter(
    ({ crd, ours, held }) =>
      ours && held > 0 && !bindingOwners(crd, dialect.apiVersion).some(({ uid }) => holding.has(uid)),
  );
}

function oursOn(object: KubeObject & { readonly status?: unknown }, resource: Resource, what: string): OursOn {
  const { namespace, name, annotations = {}, finalizers: list = [] } = object.metadata;
  const { conditions = [] } = (object.status ?? {}) as APIServiceBindingStatus;
  return {
    resource,
    what,
    key: { name, ...(namespace === undefined ? {} : { namespace }) },
    annotations: Object.keys(annotations)
      .filter((key) => key.startsWith(hawserPrefix))
      .sort(),
    finalizer: list.includes(finalizers.unbind),
    conditions: conditions.map(({ type }) => type).filter((type) => !GO_CONDITIONS.has(type)),
  };
}

function obstaclesOf({ bindings, lease }: Inventory): readonly string[] {
  const going = bindings.filter(({ metadata }) => unbindingUnder(metadata) !== undefined);
  return [
    ...(lease?.holder === undefined
      ? []
      : [`A konnector runs: ${lease.holder} renews the Lease. Stop it first, or it puts back what is taken away.`]),
    ...going.map(
      ({ metadata }) =>
        `APIServiceBinding ${metadata.name} is being deleted under policy ${unbindingUnder(metadata) ?? ''}, which a Go konnector does not know. Let a Hawser konnector end it, or annotate it with hawser.dev/unbind-policy=Orphan, which keeps the copies, and run this again.`,
    ),
  ];
}

async function removeConditions(
  client: Client,
  { resource, key, conditions }: OursOn,
  clock: Clock,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  if (conditions.length === 0) return;
  const object = await getIfExists<APIServiceBinding | APIServiceBindingBundle>(client, resource, key, { signal });
  if (object === undefined) return;
  await commitStatus<APIServiceBinding | APIServiceBindingBundle>(
    client,
    resource,
    object,
    (status) => {
      const kept = (status.conditions ?? []).filter(({ type }) => GO_CONDITIONS.has(type));
      return { ...status, conditions: setSummary(kept, clock.now()) };
    },
    { clock, random, signal },
  );
}

/** Uses a JSON patch of what was read: a changed object waits for the next round. */
async function removeMetadata(
  client: Client,
  { resource, key, annotations, finalizer }: OursOn,
  signal: AbortSignal,
): Promise<void> {
  if (annotations.length === 0 && !finalizer) return;
  const object = await getIfExists<KubeObject>(client, resource, key, { signal });
  if (object === undefined) return;
  const { uid, resourceVersion, finalizers: list = [] } = object.metadata;
  const rest = list.filter((one) => one !== finalizers.unbind);
  const patch = {
    metadata: {
      uid,
      resourceVersion,
      ...(annotations.length === 0
        ? {}
        : { annotations: Object.fromEntries(annotations.map((annotation) => [annotation, null])) }),
      ...(finalizer ? { finalizers: rest.length === 0 ? null : rest } : {}),
    },
  };
  try {
    await client.patch(resource, key, { type: 'merge', patch }, { representation: 'metadata', signal });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
