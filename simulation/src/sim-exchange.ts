import type { ApiRequest } from '@hawser/apiserver';
import type { Dispatcher } from 'undici';
import type { Fate, Link } from './link.js';
import { asSent } from './monsters.js';
import type { ProcessClock } from './process-clock.js';
import { refusal } from './refusal.js';
import type { SimServer } from './sim-server.js';

export interface ExchangeParts {
  readonly link: Link;
  readonly cluster: SimServer;
  readonly clock: ProcessClock;
  readonly handler: Dispatcher.DispatchHandler;
  readonly request: ApiRequest;
  /** The server has carried it out, or refused it; for the accounts. */
  readonly onHandled: (status: number) => void;
  readonly onEnd: (exchange: SimExchange) => void;
}

const CONNECTION_RESET = (): Error => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const CONNECTION_REFUSED = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** One request on its way to a server, and its answer on the way back; for a watch, all its events. */
export class SimExchange implements Dispatcher.DispatchController {
  readonly #parts: ExchangeParts;
  readonly #fate: Fate;
  readonly #watch: boolean;
  aborted = false;
  paused = false;
  reason: Error | null = null;
  #started = false;
  #over = false;
  #arrival = 0;
  #silenced = false;
  #waiting: (() => void)[] = [];
  #stopServing: (() => void) | undefined;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#watch = parts.request.path.includes('watch=');
    this.#fate = parts.link.fate();
  }

  /** The process sends it now. */
  send(): void {
    const { link, cluster } = this.#parts;
    if (link.partitioned) {
      // Fails even to connect.
      link.carry(() => {
        this.#connect();
      });
      return;
    }
    if (!cluster.up) {
      link.carry(() => {
        this.#fail(CONNECTION_REFUSED());
      });
      return;
    }
    this.#start();
    link.carry(() => {
      this.#arrive();
    });
  }

  abort(reason: Error): void {
    if (this.aborted || this.#over) return;
    this.aborted = true;
    this.reason = reason;
    // A server learns of it when the packet arrives; it still carries out a request on its way.
    this.#parts.link.carry(() => {
      this.#stopServing?.();
    });
    this.#finish();
    if (this.#started) this.#parts.handler.onResponseError?.(this, reason);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const deliver of waiting) this.#deliver(deliver);
  }

  #connect(): void {
    this.#parts.clock.whenRunning(() => {
      if (!this.#parts.cluster.up) {
        this.#fail(CONNECTION_REFUSED());
        return;
      }
      this.#start();
      if (!this.#over)
        this.#parts.link.carry(() => {
          this.#arrive();
        });
    });
  }

  #start(): void {
    this.#started = true;
    try {
      this.#parts.handler.onRequestStart?.(this, undefined);
    } catch {
      // Cancelled before it was sent.
      this.#finish();
    }
  }

  #arrive(): void {
    const { cluster, request, onHandled } = this.#parts;
    if (this.#fate !== 'whole' && 'refused' in this.#fate) {
      const { headers, body } = refusal(this.#fate.refused);
      onHandled(this.#fate.refused);
      this.#answer(this.#fate.refused, headers, body);
      return;
    }
    if (this.#fate !== 'whole' && this.#fate.reset === 'before') {
      this.#back(() => {
        this.#fail(CONNECTION_RESET());
      });
      return;
    }
    if (!cluster.up) {
      this.#back(() => {
        this.#fail(CONNECTION_RESET());
      });
      return;
    }
    let whole: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
    let body = '';
    const stop = cluster.serve(
      request,
      () => {
        this.#back(() => {
          this.#fail(CONNECTION_RESET());
        });
      },
      {
        head: (status, headers) => {
          onHandled(status);
          const dated = { ...headers, date: cluster.date() };
          if (this.#watch && status === 200) this.#open(status, dated);
          else whole = { status, headers: dated };
        },
        data: (sent) => {
          const text = asSent(sent);
          if (whole === undefined) this.#event(text);
          else body += text;
        },
        end: () => {
          if (whole !== undefined) this.#answer(whole.status, whole.headers, body);
          // A silent connection does not report its end either.
          else if (!this.#silenced)
            this.#back(() => {
              this.#complete();
            });
        },
      },
    );
    if (this.aborted && this.#watch) stop();
    else this.#stopServing = stop;
  }

  /** A watch begins; one that shall break off does so some time later. */
  #open(status: number, headers: Readonly<Record<string, string>>): void {
    const { handler, link } = this.#parts;
    this.#back(() => {
      handler.onResponseStart?.(this, status, headers);
    });
    if (this.#fate !== 'whole')
      this.#parts.clock.setTimeout(
        () => {
          this.#fail(CONNECTION_RESET());
        },
        1_000 + link.cut(60_000),
      );
  }

  #answer(status: number, headers: Readonly<Record<string, string>>, body: string): void {
    const { handler, link } = this.#parts;
    const bytes = Buffer.from(body);
    this.#back(() => {
      if (this.#fate !== 'whole' && 'reset' in this.#fate && this.#fate.reset === 'after') {
        this.#fail(CONNECTION_RESET());
        return;
      }
      handler.onResponseStart?.(this, status, headers);
      if (this.#fate !== 'whole' && 'reset' in this.#fate) {
        handler.onResponseData?.(this, bytes.subarray(0, link.cut(bytes.length)));
        this.#fail(CONNECTION_RESET());
        return;
      }
      if (bytes.length > 0) handler.onResponseData?.(this, bytes);
      this.#complete();
    });
  }

  #event(text: string): void {
    const { link, handler } = this.#parts;
    this.#silenced ||= link.silencesWatches;
    if (this.#silenced) return;
    const bytes = Buffer.from(text);
    this.#back(() => {
      handler.onResponseData?.(this, bytes);
    }, link.latency() + link.eventDelay());
  }

  /** Answers arrive in the order of sending. */
  #back(deliver: () => void, ms = this.#parts.link.latency()): void {
    const { link, clock } = this.#parts;
    const now = clock.monotonic();
    this.#arrival = Math.max(this.#arrival, now + ms);
    link.carry(() => {
      clock.whenRunning(() => {
        this.#deliver(deliver);
      });
    }, this.#arrival - now);
  }

  #deliver(deliver: () => void): void {
    if (this.#over || this.aborted) return;
    if (this.paused) this.#waiting.push(deliver);
    else deliver();
  }

  #complete(): void {
    this.#finish();
    this.#parts.handler.onResponseEnd?.(this, {});
  }

  #fail(error: Error): void {
    if (this.#over || this.aborted) return;
    this.#finish();
    this.#parts.handler.onResponseError?.(this, error);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#parts.onEnd(this);
  }
}
