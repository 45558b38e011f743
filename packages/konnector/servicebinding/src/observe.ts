import type { SchemaPolicy, Turns } from '@hawser/schemagate';
import { ApiError, type KubeObject, getIfExists } from '@hawser/client';
import { type ProviderConnection, deniedError } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type BoundSchema,
  type CustomResourceDefinition,
  type GroupResource,
  fixedNames,
  isOwnedByBinding,
  malformation,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import {
  type Attempt,
  type CRDReading,
  type ExportReading,
  type Observed,
  type ResourceObserved,
  type SchemaReading,
  liveVersion,
} from './observed.js';
import { sameCrdSpec } from './crd-difference.js';
import { isHeldStill } from './decide-crd.js';
import type { Readings } from './readings.js';
import { type Claimant, olderRival } from './rivals.js';
import { gateTerms, readGate } from './schema-gate.js';
import type { Sources } from './sources.js';
import type { WantedCRD } from './wanted-crd.js';
import type { WantedCRDs } from './wanted-crds.js';

/** Whether the result for a wanted CRD is known: then the whole CRD need not be read. */
type IsKnown = (wanted: WantedCRD, object: KubeObject) => boolean;

export interface Observer {
  readonly connection: ProviderConnection;
  readonly sources: Sources;
  readonly wantedCRDs: WantedCRDs;
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** Policy for changed schemas if the binding has none. */
  readonly schemaPolicy: SchemaPolicy;
  readonly migrates: boolean;
  /** Serialises reads of stored objects. */
  readonly inTurn: Turns;
}

/** Reads everything that decides about `binding`: from caches, and live where a write depends on it. */
export async function observe(
  observer: Observer,
  binding: APIServiceBinding,
  readings: Readings,
  nowMs: number,
  time: number,
  signal: AbortSignal,
): Promise<Observed> {
  const reading = readExport(observer, binding.metadata.name);
  const observed: ResourceObserved[] = [];
  if (reading.kind === 'found') {
    for (const resource of reading.export.spec.resources)
      observed.push(await observeResource(observer, binding, resource, readings, nowMs, signal));
  }
  return {
    binding,
    export: reading,
    resources: observed,
    prettyName: readPrettyName(observer),
    nowMs,
    time,
    migrates: observer.migrates,
  };
}

function readExport({ connection, sources }: Observer, name: string): ExportReading {
  const { exports } = sources;
  const denied = deniedError(exports);
  if (denied !== undefined) return { kind: 'unreadable', error: denied };
  const found = exports.get({ namespace: connection.clusterNamespace, name });
  const problem = found === undefined ? undefined : malformation('APIServiceExport', found);
  if (problem !== undefined) return { kind: 'malformed', ...problem };
  if (found !== undefined) return { kind: 'found', export: found };
  const request = sources.requests()?.get({ namespace: connection.clusterNamespace, name });
  const failed = request?.status?.phase === 'Failed';
  return {
    kind: 'missing',
    ...(failed ? { failedRequest: request.status.terminalMessage ?? 'it gave no reason' } : {}),
  };
}

/** Undefined: the export does not match the contract's shape. */
export function exportedResources(found: APIServiceExport): readonly GroupResource[] | undefined {
  return malformation('APIServiceExport', found) === undefined ? found.spec.resources : undefined;
}

function readPrettyName({ connection, sources }: Observer): Observed['prettyName'] {
  const { clusterBindings } = sources;
  if (!clusterBindings.hasSynced) return { kind: 'unknown' };
  const found = clusterBindings.get({ namespace: connection.clusterNamespace, name: fixedNames.clusterBinding });
  return {
    kind: 'known',
    value: (found === undefined || malformation('ClusterBinding', found) !== undefined
      ? ''
      : found.spec.providerPrettyName
    ).slice(0, MAX_PRETTY_NAME),
  };
}

/** Longest provider name, in characters, that is copied to each binding. */
const MAX_PRETTY_NAME = 1_000;

async function observeResource(
  observer: Observer,
  binding: APIServiceBinding,
  resource: GroupResource,
  readings: Readings,
  nowMs: number,
  signal: AbortSignal,
): Promise<ResourceObserved> {
  const name = resourceGroupName(resource);
  const { schema, schemaHash } = await readSchema(observer, name, signal);
  const lastAttempt = observer.attempts.get(name);
  const terms = schema.kind === 'found' ? gateTerms(binding, schema.wanted, observer.schemaPolicy) : undefined;
  const isKnown: IsKnown = (wanted, object) =>
    lastAttempt?.outcome.kind === 'inStep'
      ? lastAttempt.wantedHash === wanted.hash && lastAttempt.live === liveVersion(object)
      : isHeldStill(lastAttempt, wanted, liveVersion(object), terms, nowMs);
  const crd = await readCRD(observer, binding, name, schema, isKnown, signal);
  const changed =
    schema.kind === 'found' &&
    crd.kind === 'present' &&
    crd.full !== undefined &&
    isOwnedByBinding(crd.full, binding) &&
    !sameCrdSpec(crd.full.spec, schema.wanted.spec)
      ? crd.full
      : undefined;
  return {
    name,
    resource,
    schema,
    schemaHash,
    crd,
    gate:
      terms === undefined || schema.kind !== 'found'
        ? undefined
        : {
            terms,
            hold:
              changed === undefined
                ? undefined
                : await readings.hold(name, changed, schema.wanted, terms, () =>
                    observer.inTurn(() => readGate(observer.sources.consumer, changed, schema.wanted, terms, signal)),
                  ),
          },
    lastAttempt,
    olderRival: olderRival(binding, name, claimants(observer)),
  };
}

async function readSchema(
  { connection, sources, wantedCRDs }: Observer,
  name: string,
  signal: AbortSignal,
): Promise<Pick<ResourceObserved, 'schema' | 'schemaHash'>> {
  const key = { namespace: connection.clusterNamespace, name };
  const read = (found: BoundSchema): Pick<ResourceObserved, 'schema' | 'schemaHash'> => ({
    schema: wantedCRDs.of(found),
    schemaHash: wantedCRDs.hashOf(found),
  });
  const cached = sources.schemas.get(key);
  if (cached !== undefined) return read(cached);
  if (sources.schemas.hasSynced) return { schema: { kind: 'missing' } };
  // Some providers grant only `get`.
  try {
    const live = await getIfExists<BoundSchema>(sources.provider, resources.boundSchemas, key, { signal });
    return live === undefined ? { schema: { kind: 'missing' } } : read(live);
  } catch (error) {
    if (error instanceof ApiError) return { schema: { kind: 'unreadable', error } };
    throw error;
  }
}

async function readCRD(
  { sources }: Observer,
  binding: APIServiceBinding,
  name: string,
  schema: SchemaReading,
  isKnown: IsKnown,
  signal: AbortSignal,
): Promise<CRDReading> {
  const object = sources.crds.get(name);
  if (object === undefined) return { kind: 'absent' };
  const isOurs = isOwnedByBinding(object, binding);
  if (!isOurs || schema.kind !== 'found' || isKnown(schema.wanted, object)) return { kind: 'present', object };
  try {
    return {
      kind: 'present',
      object,
      full: await getIfExists<CustomResourceDefinition>(
        sources.consumer,
        resources.customResourceDefinitions,
        { name },
        { signal },
      ),
    };
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'unreadable', error };
    throw error;
  }
}

/**
 * Every binding of the cluster, with the resources that it wants: by its export if this connection serves it, else by
 * its status.
 */
function claimants({ connection, sources }: Observer): readonly Claimant[] {
  return sources.bindings.list().map((binding) => {
    const { name } = binding.metadata;
    const exported: APIServiceExport | undefined = connection.bindings.has(name)
      ? sources.exports.get({ namespace: connection.clusterNamespace, name })
      : undefined;
    const listed: readonly GroupResource[] =
      (exported === undefined ? undefined : exportedResources(exported)) ?? binding.status?.boundSchemas ?? [];
    return {
      binding,
      wants: (resourceName) => listed.some((resource) => resourceGroupName(resource) === resourceName),
    };
  });
}
