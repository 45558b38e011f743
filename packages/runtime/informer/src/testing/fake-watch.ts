import { ApiError, type KubeObject, type WatchEvent } from '@hawser/client';
import type { Thing } from './thing.js';

/** One open watch of the fake server: a queue of events with an end. */
export class FakeWatch implements AsyncIterable<WatchEvent<Thing>> {
  #queue: WatchEvent<Thing>[] = [];
  #wake: (() => void) | undefined;
  #error: ApiError | undefined;
  #ended = false;
  #silent = false;
  #sent: number;
  readonly #onClose: () => void;

  constructor(
    since: number,
    readonly selects: (object: KubeObject) => boolean,
    onClose: () => void,
    signal: AbortSignal | undefined,
    readonly known: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#sent = since;
    this.#onClose = onClose;
    signal?.addEventListener(
      'abort',
      () => {
        this.#queue = [];
        this.fail(
          new ApiError('Aborted', 'aborted', { cluster: 'fake', verb: 'watch', resource: 'things.example.com' }),
        );
      },
      { once: true },
    );
  }

  /** The latest version among its events. */
  get sent(): number {
    return this.#sent;
  }

  push(event: WatchEvent<Thing>, resourceVersion: number): void {
    this.#sent = resourceVersion;
    if (this.#silent) return;
    this.#queue.push(event);
    this.#notify();
  }

  silence(): void {
    this.#silent = true;
  }

  end(): void {
    this.#ended = true;
    this.#close();
  }

  fail(error: ApiError): void {
    this.#error ??= error;
    this.#close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchEvent<Thing>> {
    try {
      for (;;) {
        const event = this.#queue.shift();
        if (event !== undefined)
          yield this.#isKnown(event)
            ? {
                type: 'BOOKMARK',
                object: { metadata: { resourceVersion: event.object.metadata.resourceVersion ?? '' } },
              }
            : event;
        else if (this.#error !== undefined) throw this.#error;
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.#onClose();
    }
  }

  #isKnown({ type, object }: WatchEvent<Thing>): boolean {
    return (
      (type === 'ADDED' || type === 'MODIFIED') &&
      this.known.get(object.metadata.resourceVersion ?? '') === object.metadata.uid
    );
  }

  #close(): void {
    this.#onClose();
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
