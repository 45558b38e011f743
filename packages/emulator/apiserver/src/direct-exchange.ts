import type { Clock, TimerHandle } from '@hawser/clock';
import { Delivery } from './delivery.js';
import { ConnectionResetError, type Exchange, type Fault, type ResponseSink } from './exchange.js';
import type { Answer } from './handlers/answer.js';

/** Requests of a server in progress. */
export class Exchanges {
  readonly #open = new Set<DirectExchange>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `answer` in a later turn; without an answer the connection breaks. */
  start(sink: ResponseSink, fault: Fault | undefined, answer: () => Answer | undefined): Exchange {
    const exchange: DirectExchange = new DirectExchange(sink, () => {
      this.#open.delete(exchange);
    });
    this.#open.add(exchange);
    exchange.schedule(this.#clock, fault, answer);
    return exchange;
  }

  /** Breaks all connections. */
  resetAll(): void {
    for (const exchange of [...this.#open]) exchange.reset();
  }
}

/** One request of the direct transport. */
class DirectExchange implements Exchange {
  readonly #sink: ResponseSink;
  readonly #onDone: () => void;
  #timer: TimerHandle | undefined;
  #delivery: Delivery | undefined;
  #done = false;

  constructor(sink: ResponseSink, onDone: () => void) {
    this.#sink = sink;
    this.#onDone = onDone;
  }

  /** Calls `answer` in a later turn; without an answer the connection breaks. */
  schedule(clock: Clock, fault: Fault | undefined, answer: () => Answer | undefined): void {
    const { after, delayMs } = fault ?? {};
    const run = (): void => {
      if (this.#done) return;
      const found = answer();
      if (found === undefined) this.reset();
      else this.#deliver(found);
    };
    if (after !== undefined) void after.then(run, run);
    else if (delayMs === undefined) queueMicrotask(run);
    else this.#timer = clock.setTimeout(run, delayMs);
  }

  abort(): void {
    this.#finish();
  }

  /** Breaks the connection. */
  reset(): void {
    if (this.#done) return;
    this.#finish();
    this.#sink.fail(new ConnectionResetError());
  }

  #deliver(answer: Answer): void {
    this.#delivery = new Delivery(answer, {
      head: (status, headers) => {
        this.#sink.head(status, headers);
      },
      data: (chunk) => {
        this.#sink.data(chunk);
      },
      end: () => {
        this.#finish();
        this.#sink.end();
      },
      fail: (error) => {
        this.#sink.fail(error);
      },
    });
    this.#delivery.start();
  }

  #finish(): void {
    if (this.#done) return;
    this.#done = true;
    this.#timer?.cancel();
    this.#delivery?.close();
    this.#onDone();
  }
}
