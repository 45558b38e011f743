import type { ApiError } from './api-error.js';
import type { WatchEvent, WatchOptions } from './client.js';
import { asWatchEvent } from './decode.js';
import type { ByteSink, FlowControl } from './exchange.js';
import { knownEvent } from './known-event.js';
import { LineSplitter } from './line-splitter.js';
import type { KubeObject } from './object.js';

export interface EventStreamOptions {
  /** Converts a problem (a Status, a lost connection, invalid data) to the error for the reader. */
  readonly toError: (problem: unknown) => ApiError;
  /** Called once, when the stream is finished. */
  readonly onClose: () => void;
  /** See {@link WatchOptions.known}. */
  readonly known?: ReadonlyMap<string, string> | undefined;
  /** See {@link WatchOptions.onUnusable}. */
  readonly onUnusable?: WatchOptions['onUnusable'];
}

/** From here on the reader is behind: the socket pauses until it has read everything. */
const HIGH_WATER_CHARS = 1024 * 1024;

interface Reader<T extends KubeObject> {
  readonly resolve: (result: IteratorResult<WatchEvent<T>, undefined>) => void;
  readonly reject: (error: ApiError) => void;
}

/**
 * Turns the bytes of a watch into events and hands out each at once. Events before an error are still handed out;
 * events before an abort are not.
 */
export class EventStream<T extends KubeObject> implements AsyncIterableIterator<WatchEvent<T>, undefined>, ByteSink {
  readonly #options: EventStreamOptions;
  readonly #lines = new LineSplitter();
  #queue: WatchEvent<T>[] = [];
  #next = 0;
  #queuedChars = 0;
  #paused = false;
  #readers: Reader<T>[] = [];
  #control: FlowControl | undefined;
  #closed = false;
  #error: ApiError | undefined;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    const value = this.#queue[this.#next];
    if (value !== undefined) {
      this.#next++;
      if (this.#next === this.#queue.length) this.#drained();
      return Promise.resolve({ value, done: false });
    }
    if (!this.#closed) {
      return new Promise((resolve, reject) => {
        this.#readers.push({ resolve, reject });
      });
    }
    if (this.#error === undefined) return Promise.resolve({ value: undefined, done: true });
    const error = this.#error;
    this.#error = undefined;
    return Promise.reject(error);
  }

  return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    this.#discard();
    this.#close(undefined);
    return Promise.resolve({ value: undefined, done: true });
  }

  /** Ends the stream now; the reader gets `error`. */
  abort(error: ApiError): void {
    if (this.#closed) return;
    this.#discard();
    this.#close(error);
  }

  start(control: FlowControl): void {
    this.#control = control;
    if (this.#closed) control.abort();
  }

  data(chunk: Buffer): void {
    if (this.#closed) return;
    try {
      this.#lines.push(chunk, this.#onLine);
    } catch (error) {
      this.#close(this.#options.toError(error));
      return;
    }
    if (!this.closed && this.#queuedChars > HIGH_WATER_CHARS) {
      this.#paused = true;
      this.#control?.pause();
    }
  }

  end(): void {
    if (this.#closed) return;
    try {
      const rest = this.#lines.rest();
      if (rest.trim() !== '') this.#onLine(rest);
    } catch (error) {
      this.#close(this.#options.toError(error));
      return;
    }
    this.#close(undefined);
  }

  fail(error: Error): void {
    if (!this.#closed) this.#close(this.#options.toError(error));
  }

  readonly #onLine = (line: string): void => {
    if (this.#closed) return;
    const { known, onUnusable } = this.#options;
    const decoded = (known === undefined ? undefined : knownEvent(line, known)) ?? asWatchEvent<T>(line, onUnusable);
    if ('status' in decoded) {
      this.#close(this.#options.toError(decoded.status));
      return;
    }
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ value: decoded.event, done: false });
      return;
    }
    this.#queue.push(decoded.event);
    this.#queuedChars += line.length;
  };

  #drained(): void {
    this.#queue = [];
    this.#next = 0;
    this.#queuedChars = 0;
    if (!this.#paused) return;
    this.#paused = false;
    this.#control?.resume();
  }

  #discard(): void {
    this.#queue = [];
    this.#next = 0;
    this.#queuedChars = 0;
  }

  #close(error: ApiError | undefined): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#control?.abort();
    this.#options.onClose();
    const readers = this.#readers;
    this.#readers = [];
    const [first, ...others] = readers;
    if (error !== undefined && first !== undefined) first.reject(error);
    else this.#error = error;
    for (const reader of error === undefined ? readers : others) reader.resolve({ value: undefined, done: true });
  }
}
