import type { Answer } from './handlers/answer.js';
import type { ResponseSink } from './exchange.js';

/**
 * Delivers one answer to its sink, never within the call that made it: effects of a write on watches do not run inside
 * the write. Chunks of one turn follow one another in the next microtask, in order.
 */
export class Delivery {
  readonly #answer: Answer;
  readonly #sink: ResponseSink;
  #chunks: string[] = [];
  #scheduled = false;
  #ended = false;
  #closed = false;

  constructor(answer: Answer, sink: ResponseSink) {
    this.#answer = answer;
    this.#sink = sink;
  }

  start(): void {
    this.#sink.head(this.#answer.status, this.#answer.headers);
    if (this.#closed) return;
    if (this.#answer.kind === 'whole') {
      if (this.#answer.body !== '') this.#sink.data(this.#answer.body);
      this.close();
      this.#sink.end();
      return;
    }
    this.#answer.stream.start({
      data: (chunk) => {
        this.#chunks.push(chunk);
        this.#schedule();
      },
      end: () => {
        this.#ended = true;
        this.#schedule();
      },
    });
  }

  /** Stops the delivery. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    if (this.#answer.kind === 'stream') this.#answer.stream.cancel();
  }

  #schedule(): void {
    if (this.#scheduled || this.#closed) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) {
      if (this.#isClosed()) return;
      this.#sink.data(chunk);
    }
    if (!this.#ended || this.#isClosed()) return;
    this.#closed = true;
    this.#sink.end();
  }

  /** A sink may abort the exchange while it receives a chunk. */
  #isClosed(): boolean {
    return this.#closed;
  }
}
