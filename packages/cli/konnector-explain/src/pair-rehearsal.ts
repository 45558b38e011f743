import type { Client, KubeObject, ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import {
  type ConsumerObjects,
  type Copies,
  type KeyMapper,
  type PairMemories,
  SyncRole,
  type SyncRoleOptions,
  createAct,
  createPairMemories,
} from '@hawser/konnector-sync';

import { clockOf } from './clock-of.js';
import type { Examination, PairsOptions, Snapshot } from './pairs.js';
import { type PlannedWrite, previewClient } from './preview-client.js';
import { rehearse } from './rehearse.js';

/** All that was read of one object and its surroundings. */
export interface PairRead {
  readonly object: string;
  readonly found: Snapshot;
  /** Whether the copies of a namespace of the provider were read. */
  readonly isRead: (namespace: string | undefined) => boolean;
  /** Finds an object of the consumer. */
  readonly byUid: (uid: string) => KubeObject['metadata'] | undefined;
  readonly mapper: KeyMapper;
  readonly dryRun: boolean;
}

/** Only the process knows whether too many orphans would go at once. */
const noOrphans: SyncRoleOptions['orphans'] = {
  answer: () => undefined,
  settled: () => undefined,
  deleted: () => undefined,
  leave: () => undefined,
};

/** What a sync would do about one object. Notes its writes; only the rehearsal sees them. */
export class PairRehearsal {
  readonly #options: PairsOptions;
  readonly #read: PairRead;
  /** State after the writes so far. */
  #now: Snapshot;
  readonly #planned: PlannedWrite[] = [];
  #withheld = false;

  constructor(options: PairsOptions, read: PairRead) {
    this.#options = options;
    this.#read = read;
    this.#now = read.found;
  }

  async run(): Promise<Examination> {
    const { object, found } = this.#read;
    const clock = clockOf(this.#options.now);
    const memories = createPairMemories(clock);
    try {
      const rehearsed = await rehearse({
        key: object,
        role: this.#role(clock, memories),
        writes: this.#planned,
        withholding: () => {
          this.#withheld = true;
        },
        clock,
        signal: this.#options.signal,
      });
      return { object, ...found, writes: this.#planned, ...rehearsed };
    } finally {
      memories.close();
    }
  }

  #role(clock: ReturnType<typeof clockOf>, memories: PairMemories): SyncRole {
    const { resource, settings, exportOwner, prove, heldSchema } = this.#options;
    const clients = { consumer: this.#client('consumer'), provider: this.#client('provider') };
    const namespaces = this.#options.namespaces(clients.provider);
    const copies = this.#copies();
    return new SyncRole({
      resource,
      clients,
      objects: this.#objects(),
      copies,
      mapper: this.#read.mapper,
      namespaces,
      exportOwner,
      memories,
      orphans: noOrphans,
      clock,
      settings: () => settings,
      act: createAct({
        ...clients,
        resource,
        copies,
        namespaces,
        exportOwner,
        prove,
        statusSubresource: settings.statusSubresource,
        dialect: settings.dialect,
        observeConsumer: (consumer) => {
          this.#now = { ...this.#now, consumer };
        },
      }),
      heldSchema: () => heldSchema,
    });
  }

  #objects(): ConsumerObjects {
    return {
      isCurrent: () => true,
      get: () => this.#now.consumer,
      observe: (consumer) => {
        this.#now = { ...this.#now, consumer };
      },
      byUid: (uid) => this.#read.byUid(uid),
    };
  }

  #copies(): Copies {
    return {
      get: () => this.#now.copy,
      ready: (namespace) => this.#read.isRead(namespace),
      observe: (copy) => {
        this.#now = { ...this.#now, copy };
      },
      share: () => undefined,
      list: () => (this.#now.copy === undefined ? [] : [this.#now.copy]),
      states: () => [],
      close: () => undefined,
    };
  }

  #client(side: PlannedWrite['side']): Client {
    return previewClient(this.#options[side], {
      side,
      known: (asked, key) => this.#known(side, asked, key),
      planned: (write) => {
        this.#planned.push(this.#withheld ? { ...write, withheld: true } : write);
        if (write.verb === 'delete' && side === 'provider' && !this.#withheld)
          this.#now = { ...this.#now, copy: undefined };
      },
      dryRun: this.#read.dryRun,
    });
  }

  #known(side: PlannedWrite['side'], asked: Resource, key: ObjectKey): UnstructuredObject | undefined {
    const { resource, read } = this.#options;
    if (asked.resource === resource.resource && asked.group === resource.group)
      return side === 'consumer' ? this.#now.consumer : this.#now.copy;
    return side === 'provider' ? read(asked, key) : undefined;
  }
}
