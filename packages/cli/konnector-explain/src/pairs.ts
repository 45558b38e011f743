import {
  type Client,
  getIfExists,
  type ObjectKey,
  objectKey,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
} from '@hawser/client';
import type { Problem } from '@hawser/controller';
import {
  type ConsumerObjects,
  type Copies,
  type DeletionProof,
  type HeldSchema,
  type PairSettings,
  type ServiceNamespaces,
  SyncRole,
  type SyncRoleOptions,
  type Verdict,
  createAct,
  createKeyMapper,
  createPairMemories,
  parseKey,
} from '@hawser/konnector-sync';
import { list } from '@hawser/preview';

import { clockOf } from './clock-of.js';
import { type PlannedWrite, previewClient } from './preview-client.js';
import { rehearse } from './rehearse.js';

export interface PairsOptions {
  readonly resource: Resource;
  readonly settings: PairSettings;
  /** The change of the resource's schema that this consumer does not have. */
  readonly heldSchema?: HeldSchema | undefined;
  /** May copies be listed in the whole cluster? Else namespace by namespace. */
  readonly everywhere: boolean;
  readonly consumer: Client;
  readonly provider: Client;
  readonly namespaces: (client: Client) => ServiceNamespaces;
  /** What else was read of the provider and may be written. */
  readonly read: (resource: Resource, key: ObjectKey) => UnstructuredObject | undefined;
  readonly exportOwner: OwnerReference;
  readonly prove: () => Promise<DeletionProof>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What a konnector would do about one object, and how it stands until then. */
export interface Examination extends Snapshot {
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** Before anything is written. */
  readonly verdict: Verdict;
  readonly writes: readonly PlannedWrite[];
  /** What keeps the next write from being done: the answer to a dry run, or to a read that the decision needs. */
  readonly obstacle?: Problem | undefined;
  /** Passing trouble, such as a server that cannot be reached. */
  readonly failure?: Error | undefined;
}

interface Snapshot {
  readonly consumer: UnstructuredObject | undefined;
  readonly copy: UnstructuredObject | undefined;
}

/** The objects of one bound resource with their copies, read live, and decided about as a sync does. */
export interface Pairs {
  /** Reads all objects of both sides. Rejects with the ApiError of the side that cannot be listed. */
  readAll(): Promise<void>;
  /** Reads one object and its copy. */
  readOne(object: string): Promise<void>;
  /** Of everything that was read: consumer objects, and copies of ours without one. */
  objects(): readonly string[];
  examine(object: string, options: { readonly dryRun: boolean }): Promise<Examination>;
}

/** Whether too many orphans would go at once only the process knows. */
const noOrphans: SyncRoleOptions['orphans'] = {
  answer: () => undefined,
  settled: () => undefined,
  deleted: () => undefined,
  leave: () => undefined,
};

export function createPairs(options: PairsOptions): Pairs {
  const { resource, settings, signal } = options;
  const { marks } = settings.dialect;
  const namespaces = options.namespaces(options.provider);
  const mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, namespaces);
  const consumers = new Map<string, UnstructuredObject>();
  const copies = new Map<string, UnstructuredObject>();
  /** Provider namespaces (empty: all) and single places that were read. */
  const seen = new Set<string>();

  async function listCopies(namespace: string | undefined): Promise<void> {
    const listed = await list(options.provider, resource, {
      signal,
      ...(namespace === undefined ? {} : { namespace }),
    });
    if (listed.kind === 'failed') throw listed.error;
    for (const copy of listed.items) copies.set(objectKey(copy.metadata), copy);
    seen.add(namespace ?? '');
  }

  /** The uid that the copy notes, if that is not the one of the object in its place. */
  const otherUid = ({ consumer, copy }: Snapshot): string | undefined => {
    const uid = copy?.metadata.annotations?.[marks.consumerUID] ?? '';
    return uid === '' || uid === consumer?.metadata.uid ? undefined : uid;
  };

  async function listConsumers(): Promise<void> {
    const listed = await list(options.consumer, resource, { signal });
    if (listed.kind === 'failed') throw listed.error;
    for (const object of listed.items) consumers.set(objectKey(object.metadata), object);
  }

  async function readAll(): Promise<void> {
    await listConsumers();
    switch (settings.isolation) {
      case 'None':
      case 'Prefixed':
        await listCopies(undefined);
        return;
      case 'Namespaced':
        await listCopies(settings.clusterNamespace);
        return;
      case 'ServiceNamespace':
        if (options.everywhere) await listCopies(undefined);
        else for (const { provider } of namespaces.assigned()) await listCopies(provider);
    }
  }

  async function readOne(object: string): Promise<void> {
    const get = async (client: Client, key: ObjectKey, into: Map<string, UnstructuredObject>): Promise<void> => {
      const object = await getIfExists(client, resource, key, { signal });
      if (object !== undefined) into.set(objectKey(key), object);
    };
    const placement = mapper.toProvider(parseKey(object));
    await get(options.consumer, parseKey(object), consumers);
    if (placement.kind !== 'placed') return;
    await get(options.provider, placement.key, copies);
    seen.add(objectKey(placement.key));
    // Whether that uid is another object's, only a list tells.
    if (otherUid({ consumer: consumers.get(object), copy: copies.get(objectKey(placement.key)) }) !== undefined)
      await listConsumers();
  }

  async function examine(object: string, { dryRun }: { readonly dryRun: boolean }): Promise<Examination> {
    const placement = mapper.toProvider(parseKey(object));
    const place = placement.kind === 'placed' ? objectKey(placement.key) : undefined;
    const first: Snapshot = {
      consumer: consumers.get(object),
      copy: place === undefined ? undefined : copies.get(place),
    };
    /** As it would be after the writes so far. */
    let now: Snapshot = first;
    const planned: PlannedWrite[] = [];
    let withheld = false;
    const knownCopies: Copies = {
      get: () => now.copy,
      ready: (namespace) => seen.has('') || seen.has(namespace ?? '') || (place !== undefined && seen.has(place)),
      observe: (copy) => {
        now = { ...now, copy };
      },
      share: () => undefined,
      list: () => (now.copy === undefined ? [] : [now.copy]),
      states: () => [],
      close: () => undefined,
    };
    const client = (side: PlannedWrite['side']): Client =>
      previewClient(options[side], {
        side,
        known: (asked, key) =>
          asked.resource === resource.resource && asked.group === resource.group
            ? side === 'consumer'
              ? now.consumer
              : now.copy
            : side === 'provider'
              ? options.read(asked, key)
              : undefined,
        planned(write) {
          planned.push(withheld ? { ...write, withheld: true } : write);
          if (write.verb === 'delete' && side === 'provider' && !withheld) now = { ...now, copy: undefined };
        },
        dryRun,
      });
    const clients = { consumer: client('consumer'), provider: client('provider') };
    const known = options.namespaces(clients.provider);
    const objects: ConsumerObjects = {
      get: () => now.consumer,
      observe: (consumer) => {
        now = { ...now, consumer };
      },
      byUid: (uid) => [...consumers.values()].find(({ metadata }) => metadata.uid === uid)?.metadata,
    };
    const clock = clockOf(options.now);
    const memories = createPairMemories(clock);
    const role = new SyncRole({
      resource,
      clients,
      objects,
      copies: knownCopies,
      mapper,
      namespaces: known,
      exportOwner: options.exportOwner,
      memories,
      orphans: noOrphans,
      clock,
      settings: () => settings,
      act: createAct({
        ...clients,
        resource,
        copies: knownCopies,
        namespaces: known,
        exportOwner: options.exportOwner,
        prove: options.prove,
        statusSubresource: settings.statusSubresource,
        dialect: settings.dialect,
        observeConsumer: (consumer) => {
          now = { ...now, consumer };
        },
      }),
      heldSchema: () => options.heldSchema,
    });
    try {
      return {
        object,
        ...first,
        writes: planned,
        ...(await rehearse({
          key: object,
          role,
          writes: planned,
          withholding: () => {
            withheld = true;
          },
          clock,
          signal,
        })),
      };
    } finally {
      memories.close();
    }
  }

  return {
    readAll,
    readOne,
    objects() {
      const orphans = [...copies.values()].flatMap((copy) => {
        const key = mapper.toConsumer(copy.metadata);
        return key === undefined ? [] : [objectKey(key)];
      });
      return [...new Set([...consumers.keys(), ...orphans])].sort();
    },
    examine,
  };
}
