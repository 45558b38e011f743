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

/** Replicas that write at the same moment come one after the other. */
const MOST_ATTEMPTS = 5;

/** How often a replica reads the keys anew: well within the time that a new key is given to spread. */
export const KEYS_READ_MS = 15_000;

/**
 * The keys of cookies and tokens, in a Secret that every replica reads: what one has sealed another opens. Each entry is named `<milliseconds>-<id>`. Replicas that want another key at the same time
 * are kept apart by the resourceVersion. Entries that are no keys are left alone, and a Secret that somebody has emptied gets a new key: all sign in again.
 */
export class KeyStore {
  readonly #options: KeyStoreOptions;
  #plan: KeyPlan = { keep: [], seal: undefined, add: true };
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(options: KeyStoreOptions) {
    this.#options = options;
  }

  /** @throws {ApiError} when there is no key, and the Secret cannot be read or written */
  async seal(): Promise<SealingKey> {
    if (this.#isOld()) await this.#refresh();
    const { seal } = this.#plan;
    if (seal === undefined) throw new Error(`Secret ${this.#options.namespace}/${this.#options.name} has no key.`);
    return seal;
  }

  /** The key of that name, if there still is one. A name that is not known is looked up once in a second: another replica may just have made it. */
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
      // Only now: whoever asks meanwhile waits for this.
      this.#plan = plan;
      this.#readAt = clock.monotonic();
      return;
    }
  }

  /** Whether the Secret is another one now. A replica that may not write goes on with the keys that there are. */
  async #added(secret: Secret | undefined, plan: KeyPlan): Promise<boolean> {
    try {
      await this.#write(secret, plan);
    } catch (error) {
      // Another replica was first: read what it wrote.
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
