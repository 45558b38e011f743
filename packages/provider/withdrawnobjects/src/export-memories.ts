import type { Clock } from '@hawser/clock';
import { createDeletionBudget, type DeletionBudget } from '@hawser/controller';
import { type ExportObject, hasEnded } from './export-object.js';

/** Knowledge of this process about one export beyond the API servers. */
export interface ExportMemory {
  /** When the export's end was first seen, in milliseconds of the monotonic clock. */
  readonly since: number;
  readonly budget: DeletionBudget;
  /** The copies that wait in the budget. */
  ids: ReadonlySet<string>;
  /** Number of copies deleted so far. */
  deleted: number;
}

/** Memories of all ended exports. */
export class ExportMemories {
  readonly #clock: Clock;
  readonly #perMinute: number | undefined;
  readonly #all = new Map<string, ExportMemory>();

  constructor(clock: Clock, perMinute: number | undefined) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Begins at the first look at an ended export. An export that stands, or stands again, has no memory. */
  of(found: ExportObject): ExportMemory {
    const { uid = '' } = found.metadata;
    if (!hasEnded(found)) this.forget(uid);
    const memory = this.#all.get(uid) ?? {
      since: this.#clock.monotonic(),
      budget: createDeletionBudget({ clock: this.#clock, perMinute: this.#perMinute }),
      ids: new Set<string>(),
      deleted: 0,
    };
    if (hasEnded(found)) this.#all.set(uid, memory);
    return memory;
  }

  forget(uid = ''): void {
    this.#all.delete(uid);
  }
}
