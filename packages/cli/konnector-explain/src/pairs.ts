import {
  type Client,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
  getIfExists,
  objectKey,
} from '@hawser/client';
import type { Problem } from '@hawser/controller';
import {
  type DeletionProof,
  type HeldSchema,
  type KeyMapper,
  type PairSettings,
  type ServiceNamespaces,
  type Verdict,
  createKeyMapper,
  parseKey,
} from '@hawser/konnector-sync';
import { list } from '@hawser/preview';

import { PairRehearsal } from './pair-rehearsal.js';
import type { PlannedWrite } from './preview-client.js';

export interface PairsOptions {
  readonly resource: Resource;
  readonly settings: PairSettings;
  /** The change of the resource's schema that this consumer lacks. */
  readonly heldSchema?: HeldSchema | undefined;
  /** Whether to list copies in the whole cluster; else namespace by namespace. */
  readonly everywhere: boolean;
  readonly consumer: Client;
  readonly provider: Client;
  readonly namespaces: (client: Client) => ServiceNamespaces;
  /** Other objects of the provider that were read and may be written. */
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
  /** Verdict before any write. */
  readonly verdict: Verdict;
  readonly writes: readonly PlannedWrite[];
  /** Why the next write fails: the answer to a dry run, or to a read that the decision needs. */
  readonly obstacle?: Problem | undefined;
  /** Passing trouble, such as an unreachable server. */
  readonly failure?: Error | undefined;
}

export interface Snapshot {
  readonly consumer: UnstructuredObject | undefined;
  readonly copy: UnstructuredObject | undefined;
}

/** The objects of one bound resource with their copies, read live and judged like a sync does. */
export interface Pairs {
  /** Reads all objects of both sides. Rejects with the ApiError of a failed list. */
  readAll(): Promise<void>;
  /** Reads one object and its copy. */
  readOne(object: string): Promise<void>;
  /** All that was read: consumer objects, and copies of ours without one. */
  objects(): readonly string[];
  examine(object: string, options: { readonly dryRun: boolean }): Promise<Examination>;
}

export function createPairs(options: PairsOptions): Pairs {
  return new ObjectPairs(options);
}

class ObjectPairs implements Pairs {
  readonly #options: PairsOptions;
  readonly #namespaces: ServiceNamespaces;
  readonly #mapper: KeyMapper;
  readonly #consumers = new Map<string, UnstructuredObject>();
  readonly #copies = new Map<string, UnstructuredObject>();
  /** Provider namespaces (empty: all) and single places that were read. */
  readonly #seen = new Set<string>();

  constructor(options: PairsOptions) {
    const { settings } = options;
    this.#options = options;
    this.#namespaces = options.namespaces(options.provider);
    this.#mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, this.#namespaces);
  }

  async readAll(): Promise<void> {
    await this.#listConsumers();
    const { settings, everywhere } = this.#options;
    switch (settings.isolation) {
      case 'None':
      case 'Prefixed':
      case 'Identity':
        await this.#listCopies(undefined);
        return;
      case 'Namespaced':
        await this.#listCopies(settings.clusterNamespace);
        return;
      case 'ServiceNamespace':
        if (everywhere) await this.#listCopies(undefined);
        else for (const { provider } of this.#namespaces.assigned()) await this.#listCopies(provider);
    }
  }

  async readOne(object: string): Promise<void> {
    const { consumer, provider } = this.#options;
    const placement = this.#mapper.toProvider(parseKey(object));
    await this.#get(consumer, parseKey(object), this.#consumers);
    if (placement.kind !== 'placed') return;
    await this.#get(provider, placement.key, this.#copies);
    this.#seen.add(objectKey(placement.key));
    // Only a list shows whether that uid is another object's.
    if (this.#notesAnother(this.#consumers.get(object), this.#copies.get(objectKey(placement.key))))
      await this.#listConsumers();
  }

  objects(): readonly string[] {
    const orphans = [...this.#copies.values()].flatMap((copy) => {
      const key = this.#mapper.toConsumer(copy.metadata);
      return key === undefined ? [] : [objectKey(key)];
    });
    return [...new Set([...this.#consumers.keys(), ...orphans])].sort();
  }

  examine(object: string, { dryRun }: { readonly dryRun: boolean }): Promise<Examination> {
    const placement = this.#mapper.toProvider(parseKey(object));
    const copyKey = placement.kind === 'placed' ? objectKey(placement.key) : undefined;
    return new PairRehearsal(this.#options, {
      object,
      found: {
        consumer: this.#consumers.get(object),
        copy: copyKey === undefined ? undefined : this.#copies.get(copyKey),
      },
      isRead: (namespace) =>
        this.#seen.has('') || this.#seen.has(namespace ?? '') || (copyKey !== undefined && this.#seen.has(copyKey)),
      byUid: (uid) => [...this.#consumers.values()].find(({ metadata }) => metadata.uid === uid)?.metadata,
      mapper: this.#mapper,
      dryRun,
    }).run();
  }

  async #listConsumers(): Promise<void> {
    const { consumer, resource, signal } = this.#options;
    const listed = await list(consumer, resource, { signal });
    if (listed.kind === 'failed') throw listed.error;
    for (const object of listed.items) this.#consumers.set(objectKey(object.metadata), object);
  }

  async #listCopies(namespace: string | undefined): Promise<void> {
    const { provider, resource, signal } = this.#options;
    const listed = await list(provider, resource, { signal, ...(namespace === undefined ? {} : { namespace }) });
    if (listed.kind === 'failed') throw listed.error;
    for (const copy of listed.items) this.#copies.set(objectKey(copy.metadata), copy);
    this.#seen.add(namespace ?? '');
  }

  async #get(client: Client, key: ObjectKey, into: Map<string, UnstructuredObject>): Promise<void> {
    const { resource, signal } = this.#options;
    const object = await getIfExists(client, resource, key, { signal });
    if (object !== undefined) into.set(objectKey(key), object);
  }

  /** Whether the copy notes another uid than that of the object in its place. */
  #notesAnother(consumer: UnstructuredObject | undefined, copy: UnstructuredObject | undefined): boolean {
    const uid = copy?.metadata.annotations?.[this.#options.settings.dialect.marks.consumerUID] ?? '';
    return uid !== '' && uid !== consumer?.metadata.uid;
  }
}
