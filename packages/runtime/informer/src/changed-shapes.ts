import type { Clock } from '@hawser/clock';

/** The shape of a resource's objects, as far as it is known. */
export interface Shape {
  readonly name: string;
  /**
   * A value that changes with the schema, such as the generation of a CRD. Undefined: not known at the moment, counts
   * as unchanged.
   */
  readonly shape: string | undefined;
}

export interface DueShapes {
  /** Names of shapes whose change has settled. Each is returned once. */
  readonly due: readonly string[];
  /** When to look again without an event, in milliseconds. */
  readonly againInMs: number | undefined;
}

/** Measured: about a second from a changed CRD to the end of the watches opened before. */
const SETTLES_MS = 5_000;

/**
 * Decides when to relist a resource after a change of its schema. For about a second after a CRD has changed, an API
 * server's watches deliver objects in the old shape, without the new fields, and never again in the new one. So caches
 * of that resource must read again ({@link Informer.relist}) once the change has settled. Keeps the changes by owner.
 */
export class ChangedShapes {
  readonly #known = new Map<string, Map<string, { readonly shape: string; readonly dueAt: number | undefined }>>();

  constructor(
    private readonly clock: Clock,
    private readonly settlesMs = SETTLES_MS,
  ) {}

  /**
   * `shapes`: all current shapes for `owner`. A shape seen for the first time needs no relist: it has just been listed.
   */
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
