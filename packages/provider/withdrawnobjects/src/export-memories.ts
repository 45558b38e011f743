import type { Clock } from '@hawser/clock';
import { createDeletionBudget, type DeletionBudget } from '@hawser/controller';
import { type ExportObject, hasEnded } from './export-object.js';

/** What this process knows about one export beyond what the API servers say. */
export interface ExportMemory {
  /** When the export was first seen ended, in milliseconds of the monotonic clock. */
  readonly since: number;
  readonly budget: DeletionBudget;
  /** The copies that wait in the budget. */
  ids: ReadonlySet<string>;
  /** How many copies were deleted so far. */
  deleted: number;
}

/** The memories of all exports that have ended. */
export class ExportMemories {
  readonly #clock: Clock;
  readonly #perMinute: number | undefined;
  readonly #all = new Map<string, ExportMemory>();

  constructor(clock: Clock, perMinute: number | undefined) {
    this.#clock = clock;
    this.#perMinute = perMinute;
  }

  /** Begins with the first look at an export that has ended. One that stands, or stands again, is not remembered. */
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
