/** One key of cookies and tokens. */
export interface SealingKey {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

export interface KeyTimes {
  /** A key seals for this long. */
  readonly sealsForMs: number;
  /** A new key is not used before every replica has read it. */
  readonly spreadMs: number;
  /** The longest life of what is sealed. */
  readonly lifeMs: number;
}

export interface KeyPlan {
  /** What may still be presented is opened with these. */
  readonly keep: readonly SealingKey[];
  /** What is handed out from now on is sealed with this one. Absent: there is no key yet. */
  readonly seal: SealingKey | undefined;
  /** Whether the Secret needs another key. */
  readonly add: boolean;
}

/**
 * Which key seals, which are kept, and whether there has to be another. Keys overlap: the successor is made, and read by every replica, before the key that it follows
 * stops sealing; and that one stays until nothing that it sealed is valid.
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
