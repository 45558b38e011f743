import { type Client, getIfExists, isAlreadyExists, isConflict } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Secret, resources } from '@hawser/kube-bind';
import { type KeyPlan, type KeyTimes, type SealingKey, planKeys } from './key-ring.js';

export interface KeyStoreOptions {
  readonly client: Pick<Client, 'get' | 'create' | 'update'>;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly times: KeyTimes;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Replicas that write at the same moment take turns. */
const MOST_ATTEMPTS = 5;

/** Period for reading the keys: well within the spread time of a new key. */
export const KEYS_READ_MS = 15_000;

/**
 * Keys for cookies and tokens, in a Secret that every replica reads: each opens what another sealed. Entries are named
 * `<milliseconds>-<id>`. The resourceVersion separates replicas that add a key at the same time. Ignores entries that
 * are no keys. A Secret emptied by hand gets a new key: all must sign in again.
 */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  #plan: KeyPlan = { keep: [], seal: undefined, add: true };
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** @throws {ApiError} without a key, if the Secret cannot be read or written */
  async seal(): Promise<SealingKey> {
    if (this.#isOld()) await this.#refresh();
    const { seal } = this.#plan;
    if (seal === undefined) throw new Error(`Secret ${this.#options.namespace}/${this.#options.name} has no key.`);
    return seal;
  }

  /**
   * The key of that name, if it still exists. Looks up an unknown name once per second: another replica may just have
   * created it.
   */
  async find(id: string): Promise<SealingKey | undefined> {
    if (this.#isOld()) await this.#refresh();
    const known = this.#plan.keep.find((key) => key.id === id);
    if (known !== undefined || this.#options.clock.monotonic() - this.#readAt < 1_000) return known;
    await this.#refresh();
    return this.#plan.keep.find((key) => key.id === id);
  }

  #isOld(): boolean {
    return this.#options.clock.monotonic() - this.#readAt >= KEYS_READ_MS;
  }

  #refresh(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { client, clock, namespace, name, times } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const secret = await getIfExists<Secret>(client, resources.secrets, { namespace, name });
      const plan = planKeys(keysIn(secret), clock.now(), times);
      if (plan.add && attempt < MOST_ATTEMPTS && (await this.#added(secret, plan))) continue;
      // Only now: concurrent calls wait for this.
      this.#plan = plan;
      this.#readAt = clock.monotonic();
      return;
    }
  }

  /** Whether the Secret has changed. A replica without write access continues with the existing keys. */
  async #added(secret: Secret | undefined, plan: KeyPlan): Promise<boolean> {
    try {
      await this.#write(secret, plan);
    } catch (error) {
      // Another replica was first: read its Secret.
      if (!isConflict(error) && !isAlreadyExists(error)) {
        if (plan.seal === undefined) throw error;
        return false;
      }
    }
    return true;
  }

  async #write(secret: Secret | undefined, plan: KeyPlan): Promise<void> {
    const { client, clock, namespace, name, randomBytes } = this.#options;
    const id = Buffer.from(randomBytes(6)).toString('hex');
    const added = { [`${clock.now()}-${id}`]: Buffer.from(randomBytes(32)).toString('base64') };
    const kept = new Set(plan.keep.map((key) => `${key.created}-${key.id}`));
    const rest = Object.entries(secret?.data ?? {}).filter(
      ([entry]) => keyIn(entry, '') === undefined || kept.has(entry),
    );
    const data = { ...Object.fromEntries(rest), ...added };
    if (secret === undefined)
      await client.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name },
        type: 'Opaque',
        data,
      } as Secret);
    else await client.update(resources.secrets, { ...secret, data } as Secret);
  }
}

function keysIn(secret: Secret | undefined): readonly SealingKey[] {
  return Object.entries(secret?.data ?? {}).flatMap(([entry, value]) => {
    const key = keyIn(entry, value);
    return key?.bytes.length === 32 ? [key] : [];
  });
}

function keyIn(entry: string, value: string): SealingKey | undefined {
  const [, created, id] = /^(\d{10,15})-([0-9a-f]{12})$/u.exec(entry) ?? [];
  if (created === undefined || id === undefined) return undefined;
  return { id, created: Number(created), bytes: new Uint8Array(Buffer.from(value, 'base64')) };
}
