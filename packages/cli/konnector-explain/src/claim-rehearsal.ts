import type { Client, KubeObject, ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import {
  type ClaimedObjectProblem,
  ClaimMemories,
  ClaimRole,
  type ClaimRoleOptions,
  type Landing,
  type Side,
  createAct,
  createCopyCounts,
  noMissing,
} from '@hawser/claimedresources';

import type { ClaimExamination, ClaimPairsOptions } from './claim-pairs.js';
import { clockOf } from './clock-of.js';
import { type PlannedWrite, previewClient } from './preview-client.js';
import { rehearse } from './rehearse.js';

/** All that was read of one claimed object and its surroundings. */
export interface ClaimRead {
  /** `namespace/name` on the consumer. */
  readonly object: string;
  /** Its keys on both sides. */
  readonly keys: ReturnType<ClaimRoleOptions['caches']['keysFor']>;
  readonly found: Readonly<Record<Side, KubeObject | undefined>>;
  readonly list: (side: Side, namespace: string) => readonly KubeObject[];
  /** Whether the objects of a namespace were read. */
  readonly isRead: (side: Side, namespace: string | undefined) => boolean;
  /** Names of the bindings whose claims select the object in its state on that side. */
  readonly claimants: (side: Side, object: KubeObject) => readonly string[];
  readonly landing: (namespace: string, bindings: readonly string[]) => Landing;
  readonly dryRun: boolean;
}

/** What the konnector would do about one claimed object. Notes its writes; only the rehearsal sees them. */
export class ClaimRehearsal {
  readonly #options: ClaimPairsOptions;
  readonly #read: ClaimRead;
  /** State after the writes so far. */
  #now: Readonly<Record<Side, KubeObject | undefined>>;
  readonly #writes: PlannedWrite[] = [];
  #withheld = false;

  constructor(options: ClaimPairsOptions, read: ClaimRead) {
    this.#options = options;
    this.#read = read;
    this.#now = read.found;
  }

  async run(): Promise<ClaimExamination> {
    const { object, found } = this.#read;
    const clock = clockOf(this.#options.now);
    const role = this.#role(clock);
    const { claimedBy } = role.observe(object, role.nothingLearned);
    const { verdict, obstacle, failure } = await rehearse({
      key: object,
      role,
      writes: this.#writes,
      withholding: () => {
        this.#withheld = true;
      },
      clock,
      signal: this.#options.signal,
    });
    return {
      object,
      found,
      bindings: [...new Set([...claimedBy.consumer, ...claimedBy.provider])],
      verdict,
      writes: this.#writes,
      // Reports a refusal in terms of claims, even a passing one.
      ...(obstacle === undefined ? {} : { obstacle: obstacle as ClaimedObjectProblem }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  #role(clock: ReturnType<typeof clockOf>): ClaimRole {
    const { resource, settings, exportOwner, policies, protection, deletionsHeld } = this.#options;
    const clients = { consumer: this.#client('consumer'), provider: this.#client('provider') };
    const namespaces = this.#options.namespaces(clients.provider);
    const memories = new ClaimMemories();
    // Long enough for the copy to go.
    memories.remember(this.#read.object, { missingSince: 0 });
    return new ClaimRole({
      resource,
      settings,
      clients,
      namespaces,
      memories,
      exportOwner,
      protection,
      landing: this.#read.landing,
      clock,
      caches: this.#caches(),
      selection: { claimedBy: (side, _, of) => this.#read.claimants(side, of) },
      // Only the process knows how many exist already, and how many may come.
      counts: createCopyCounts(() => undefined),
      copies: () => 0,
      maxObjects: Infinity,
      missing: { ...noMissing, answer: () => (deletionsHeld ? 'held' : 'allowed') },
      act: createAct({
        clients,
        resource,
        settings,
        namespaces,
        exportOwner,
        observe: (side, seenNow) => {
          this.#now = { ...this.#now, [side]: seenNow };
        },
        forget: (side) => {
          this.#now = { ...this.#now, [side]: undefined };
        },
      }),
      policies: () => policies,
      kind: () => undefined,
    });
  }

  #caches(): ClaimRoleOptions['caches'] {
    return {
      keysFor: () => this.#read.keys,
      get: (side) => this.#now[side],
      list: (side, namespace) => this.#read.list(side, namespace),
      isReady: (side, namespace) => this.#read.isRead(side, namespace),
    };
  }

  #client(side: Side): Client {
    return previewClient(this.#options.clients[side], {
      side,
      known: (asked, key) => this.#known(side, asked, key),
      planned: (write) => {
        this.#writes.push(this.#withheld ? { ...write, withheld: true } : write);
      },
      dryRun: this.#read.dryRun,
    });
  }

  #known(side: Side, asked: Resource, key: ObjectKey): UnstructuredObject | undefined {
    const { resource, read } = this.#options;
    if (asked.resource === resource.resource && asked.group === resource.group)
      return this.#now[side] as UnstructuredObject | undefined;
    return side === 'provider' ? read(asked, key) : undefined;
  }
}
