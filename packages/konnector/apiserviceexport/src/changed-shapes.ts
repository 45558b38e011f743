import type { Clock } from '@hawser/clock';

/** What a resource looks like on the consumer, and what the provider says it shall look like. */
export interface Shape {
  /** `databases.example.com`. */
  readonly name: string;
  readonly crdGeneration: number | undefined;
  readonly schemaGeneration: number | undefined;
}

export interface DueShapes {
  /** Resources whose shape has changed, long enough ago. Told once. */
  readonly due: readonly string[];
  /** When to ask again although nothing happens. */
  readonly againInMs: number | undefined;
}

/**
 * For about a second after a CRD has changed, an API server's watches tell of objects in the old shape, without the new fields, and never again in the new one. So
 * what the caches of such a resource say is read again, once the change has settled. Keeps account of which, by export.
 */
export class ChangedShapes {
  readonly #known = new Map<string, Map<string, { readonly shape: string; readonly dueAt: number | undefined }>>();

  constructor(
    private readonly clock: Clock,
    private readonly settleMs: number,
  ) {}

  /** What is unknown at the moment counts as unchanged; what is seen for the first time has just been listed. */
  look(exportName: string, shapes: readonly Shape[]): DueShapes {
    const known = this.#known.get(exportName) ?? new Map<string, { readonly shape: string; readonly dueAt: number | undefined }>();
    this.#known.set(exportName, known);
    const now = this.clock.monotonic();
    const due: string[] = [];
    for (const name of [...known.keys()]) if (!shapes.some((shape) => shape.name === name)) known.delete(name);
    for (const { name, crdGeneration, schemaGeneration } of shapes) {
      const before = known.get(name);
      const shape = crdGeneration === undefined || schemaGeneration === undefined ? before?.shape : `${crdGeneration}/${schemaGeneration}`;
      if (shape === undefined) continue;
      const changed = before !== undefined && before.shape !== shape;
      const dueAt = changed ? now + this.settleMs : before?.dueAt;
      if (dueAt !== undefined && dueAt <= now) due.push(name);
      known.set(name, { shape, dueAt: dueAt !== undefined && dueAt <= now ? undefined : dueAt });
    }
    const waits = [...known.values()].flatMap(({ dueAt }) => (dueAt === undefined ? [] : [dueAt - now]));
    return { due, againInMs: waits.length === 0 ? undefined : Math.min(...waits) };
  }

  forget(exportName: string): void {
    this.#known.delete(exportName);
  }
}
