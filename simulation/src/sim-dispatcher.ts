import { Dispatcher } from 'undici';
import type { Link } from './link.js';
import { inPages } from './pages.js';
import { requestOf } from './request-of.js';
import type { SimServer } from './sim-server.js';
import { SimExchange } from './sim-exchange.js';
import type { SimProcess } from './sim-process.js';

/** Sends the requests of a process's client, in place of sockets. */
export class SimDispatcher extends Dispatcher {
  readonly #process: SimProcess;
  readonly #cluster: () => SimServer;
  readonly #link: Link;
  readonly #pageSize: number;
  readonly #open = new Set<SimExchange>();

  constructor(process: SimProcess, cluster: () => SimServer, link: Link, pageSize: number) {
    super();
    this.#process = process;
    this.#cluster = cluster;
    this.#link = link;
    this.#pageSize = pageSize;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    // No process is left to wait for an answer.
    if (!this.#process.mayStillSend()) return true;
    const request = inPages(requestOf(options), this.#pageSize);
    const cluster = this.#cluster();
    const exchange = new SimExchange({
      link: this.#link,
      cluster,
      clock: this.#process.clock,
      handler,
      request,
      onHandled: this.#process.sends(cluster, request),
      onEnd: (ended) => {
        this.#open.delete(ended);
        this.#process.open--;
      },
    });
    this.#open.add(exchange);
    this.#process.open++;
    exchange.send();
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    if (callback === undefined) return Promise.resolve();
    callback();
    return undefined;
  }

  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | undefined {
    for (const exchange of [...this.#open])
      exchange.abort(first instanceof Error ? first : new Error('the client is closed'));
    const callback = typeof first === 'function' ? first : second;
    if (callback === undefined) return Promise.resolve();
    callback();
    return undefined;
  }
}
