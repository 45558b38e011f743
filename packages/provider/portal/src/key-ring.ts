/** A key for cookies and tokens. */
export interface SealingKey {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

export interface KeyTimes {
  /** Sealing period of a key. */
  readonly sealsForMs: number;
  /** A new key stays unused until every replica has read it. */
  readonly spreadMs: number;
  /** The longest life of sealed data. */
  readonly lifeMs: number;
}

export interface KeyPlan {
  /** Keys that open what may still be presented. */
  readonly keep: readonly SealingKey[];
  /** Key that seals from now on. Absent: no key exists yet. */
  readonly seal: SealingKey | undefined;
  /** Whether the Secret needs another key. */
  readonly add: boolean;
}

/**
 * Plans which key seals, which stay, and whether a new one is needed. Keys overlap: every replica reads the successor
 * before its predecessor stops sealing. The predecessor stays until everything that it sealed has expired.
 */
export function planKeys(
  keys: readonly SealingKey[],
  now: number,
  { sealsForMs, spreadMs, lifeMs }: KeyTimes,
): KeyPlan {
  const newestFirst = [...keys].sort((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1));
  const spread = newestFirst.filter(({ created }) => created <= now - spreadMs);
  // The very first key has no predecessor to seal meanwhile.
  const seal = spread[0] ?? newestFirst.at(-1);
  const [newest] = newestFirst;
  const keep = newestFirst.filter((key, index) => {
    const successor = newestFirst[index - 1];
    return successor === undefined || successor.created + spreadMs + lifeMs > now || key === seal;
  });
  return { keep, seal, add: newest === undefined || newest.created + sealsForMs <= now };
}
