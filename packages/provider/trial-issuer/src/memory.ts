import type { Clock } from '@hawser/clock';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';

interface Entry {
  readonly payload: AdapterPayload;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** Far more than two people need. The oldest entry goes first. */
const MOST_ENTRIES = 1_000;
/** Of what has no end of its own. */
const DEFAULT_SECONDS = 3_600;

/** Codes, grants and sessions of an issuer, in memory: all end with the process. */
export function createMemory(clock: Clock): AdapterFactory {
  const memory = new Memory(clock);
  return (model) => adapterOf(memory, (id) => `${model}:${id}`);
}

class Memory {
  readonly #entries = new Map<string, Entry>();

  constructor(readonly clock: Clock) {}

  put(key: string, payload: AdapterPayload, seconds = DEFAULT_SECONDS): void {
    this.#entries.delete(key);
    this.#entries.set(key, { payload, expires: this.clock.now() + seconds * 1_000 });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES) break;
      this.#entries.delete(oldest);
    }
  }

  get(key: string): AdapterPayload | undefined {
    return this.#alive(this.#entries.get(key));
  }

  find(predicate: (payload: AdapterPayload) => boolean): AdapterPayload | undefined {
    return this.#alive([...this.#entries.values()].find(({ payload }) => predicate(payload)));
  }

  consume(key: string): void {
    const entry = this.#entries.get(key);
    const consumed = Math.floor(this.clock.now() / 1_000);
    if (entry !== undefined) this.#entries.set(key, { ...entry, payload: { ...entry.payload, consumed } });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  revoke(grantId: string): void {
    for (const [key, { payload }] of this.#entries) if (payload.grantId === grantId) this.#entries.delete(key);
  }

  #alive(entry: Entry | undefined): AdapterPayload | undefined {
    return entry !== undefined && entry.expires > this.clock.now() ? entry.payload : undefined;
  }
}

function adapterOf(memory: Memory, keyOf: (id: string) => string): Adapter {
  const done = (): Promise<void> => Promise.resolve();
  return {
    upsert: (id, payload, seconds) =>
      done().then(() => {
        memory.put(keyOf(id), payload, seconds);
      }),
    find: (id) => done().then(() => memory.get(keyOf(id))),
    findByUid: (uid) => done().then(() => memory.find((payload) => payload.uid === uid)),
    findByUserCode: (code) => done().then(() => memory.find((payload) => payload.userCode === code)),
    consume: (id) =>
      done().then(() => {
        memory.consume(keyOf(id));
      }),
    destroy: (id) =>
      done().then(() => {
        memory.delete(keyOf(id));
      }),
    revokeByGrantId: (grantId) =>
      done().then(() => {
        memory.revoke(grantId);
      }),
  };
}
