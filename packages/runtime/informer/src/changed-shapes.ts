import type { Clock } from '@hawser/clock';

/** What the objects of a resource look like, as far as that is known. */
export interface Shape {
  readonly name: string;
  /** Whatever is another with another schema, such as the generation of a CRD. Undefined: not known at the moment, which counts as unchanged. */
  readonly shape: string | undefined;
}

export interface DueShapes {
  /** Names of shapes that have changed, long enough ago. Told once. */
  readonly due: readonly string[];
  /** When to ask again although nothing happens. */
  readonly againInMs: number | undefined;
}

/** About a second was measured from a changed CRD to the end of the watches that were open before. */
const SETTLES_MS = 5_000;

/**
 * For about a second after a CRD has changed, an API server's watches tell of objects in the old shape, without the new fields, and never again in the new one. So
 * what the caches of such a resource say is to be read again ({@link Informer.relist}), once the change has settled. Keeps account of which, by whom they concern.
 */
export class ChangedShapes {
  readonly #known = new Map<string, Map<string, { readonly shape: string; readonly dueAt: number | undefined }>>();

  constructor(
    private readonly clock: Clock,
    private readonly settlesMs = SETTLES_MS,
  ) {}

  /** `shapes`: all that there are for `owner` now. What is seen for the first time has just been listed. */
  look(owner: string, shapes: readonly Shape[]): DueShapes {
    const known =
      this.#known.get(owner) ?? new Map<string, { readonly shape: string; readonly dueAt: number | undefined }>();
    this.#known.set(owner, known);
    const now = this.clock.monotonic();
    const due: string[] = [];
    for (const name of [...known.keys()]) if (!shapes.some((shape) => shape.name === name)) known.delete(name);
    for (const { name, shape: present } of shapes) {
      const before = known.get(name);
      const shape = present ?? before?.shape;
      if (shape === undefined) continue;
      const changed = before !== undefined && before.shape !== shape;
      const dueAt = changed ? now + this.settlesMs : before?.dueAt;
      if (dueAt !== undefined && dueAt <= now) due.push(name);
      known.set(name, { shape, dueAt: dueAt !== undefined && dueAt <= now ? undefined : dueAt });
    }
    const waits = [...known.values()].flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt - now]));
    return { due, againInMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  forget(owner: string): void {
    this.#known.delete(owner);
  }
}
