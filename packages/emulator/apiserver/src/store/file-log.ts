import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, parse, stringify } from '@hawser/json';
import type { Change, Entry } from './change.js';
import type { Store } from './store.js';

const SNAPSHOT = 'snapshot.jsonl';
const LOG = 'log.jsonl';
/** Folds the log into a snapshot once it is this large, and larger than the snapshot. */
const MIN_LOG_BYTES = 4 * 1024 * 1024;

/** One line: the value of a key from a revision on. */
interface Line extends JsonObject {
  readonly r: number;
  readonly b?: string;
  readonly k?: string;
  /** Revision at which the key was created. */
  readonly c?: number;
  /** Null: deleted. */
  readonly o?: JsonObject | null;
}

/**
 * Persists a store in a folder: a snapshot, and a log with a line per later change. Ignores a line that a crash cut
 * off; everything before it is intact. Each write hands its line to the operating system: it survives any end of the
 * process, but not that of the machine.
 */
export class FileLog {
  readonly #folder: string;
  readonly #store: Store;
  readonly #subscriptions: readonly Disposable[];
  #file: number;
  #logBytes = 0;
  #snapshotBytes = 0;
  #closed = false;

  /** Fills the store from the folder, and then records its changes. Creates a missing folder. */
  constructor(folder: string, store: Store) {
    this.#folder = folder;
    this.#store = store;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    load(folder, store);
    this.#file = this.#fold();
    this.#subscriptions = [
      store.subscribe((change) => {
        this.#append(change);
      }),
      store.onRestore(() => {
        this.#file = this.#fold();
      }),
    ];
  }

  /** Stops recording. Everything is in the folder. Idempotent. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    fsyncSync(this.#file);
    closeSync(this.#file);
  }

  #append({ type, entry }: Change): void {
    const object = type === 'DELETED' ? null : entry.object;
    const text = `${stringify({ r: entry.revision, b: entry.bucket, k: entry.key, c: entry.createRevision, o: object })}\n`;
    writeSync(this.#file, text);
    this.#logBytes += text.length;
    if (this.#logBytes > MIN_LOG_BYTES && this.#logBytes > this.#snapshotBytes) this.#file = this.#fold();
  }

  /**
   * Writes a snapshot beside the old one, moves it into place, and begins an empty log. A crash at any point leaves one
   * of the two states.
   */
  #fold(): number {
    const { revision, entries } = this.#store.snapshot();
    const lines = [
      stringify({ r: revision }),
      ...entries.map((entry) =>
        stringify({ r: entry.revision, b: entry.bucket, k: entry.key, c: entry.createRevision, o: entry.object }),
      ),
    ];
    const text = `${lines.join('\n')}\n`;
    const next = join(this.#folder, `${SNAPSHOT}.next`);
    writeFileSync(next, text, { mode: 0o600 });
    // Revisions identify log lines that the snapshot already has, so the order of the two steps does not matter.
    renameSync(next, join(this.#folder, SNAPSHOT));
    const log = join(this.#folder, LOG);
    rmSync(log, { force: true });
    if (this.#logBytes > 0 || this.#snapshotBytes > 0) closeSync(this.#file);
    this.#logBytes = 0;
    this.#snapshotBytes = text.length;
    return openSync(log, 'a', 0o600);
  }
}

function load(folder: string, store: Store): void {
  const entries = new Map<string, Entry>();
  let revision = 0;
  for (const line of linesOf(join(folder, SNAPSHOT))) {
    revision = Math.max(revision, line.r);
    put(entries, line);
  }
  const folded = revision;
  for (const line of linesOf(join(folder, LOG))) {
    if (line.r <= folded) continue;
    revision = line.r;
    put(entries, line);
  }
  if (revision > 0) store.restore({ revision, entries: [...entries.values()] });
}

function put(entries: Map<string, Entry>, line: Line): void {
  const { b: bucket, k: key, o: object } = line;
  if (bucket === undefined || key === undefined) return;
  const id = `${bucket}\u0000${key}`;
  if (object === null || object === undefined) entries.delete(id);
  else entries.set(id, { bucket, key, object, revision: line.r, createRevision: line.c ?? line.r });
}

function linesOf(file: string): readonly Line[] {
  if (!existsSync(file)) return [];
  const lines: Line[] = [];
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    if (text === '') continue;
    try {
      lines.push(parse(text) as unknown as Line);
    } catch (error) {
      // The end of a log that a crash cut off.
      if (error instanceof SyntaxError) break;
      throw error;
    }
  }
  return lines;
}
