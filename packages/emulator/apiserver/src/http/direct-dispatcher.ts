import type { IncomingHttpHeaders } from 'node:http';
import { Dispatcher } from 'undici';
import type { ApiServer } from '../api-server.js';
import type { Exchange } from '../exchange.js';
import type { ApiRequest, UserInfo } from '../parts.js';

/** The part of a server that handles requests. */
export type RequestHandler = Pick<ApiServer, 'handle'>;

export interface DirectDispatcherOptions {
  readonly server: RequestHandler | (() => RequestHandler | undefined);
  /** User of the requests. Undefined: their headers carry the credentials. */
  readonly user?: UserInfo | undefined;
}

/** The server is down. */
export class ConnectionRefusedError extends Error {
  override readonly name = 'ConnectionRefusedError';
  readonly code = 'ECONNREFUSED';

  constructor() {
    super('connect ECONNREFUSED');
  }
}

/**
 * A dispatcher for undici and clients that take one: reaches an in-process server without sockets. Answers arrive in
 * later microtasks, as over a socket; nothing depends on real time. `server` may be a function, for a restarted server:
 * undefined while it is down.
 */
export class DirectDispatcher extends Dispatcher {
  readonly #options: DirectDispatcherOptions;
  readonly #exchanges = new Set<DispatchedExchange>();
  #closed = false;

  constructor(options: DirectDispatcherOptions) {
    super();
    this.#options = options;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const exchange: DispatchedExchange = new DispatchedExchange(handler, () => {
      this.#exchanges.delete(exchange);
    });
    const { server } = this.#options;
    this.#exchanges.add(exchange);
    queueMicrotask(() => {
      exchange.start(
        this.#closed ? undefined : typeof server === 'function' ? server() : server,
        toRequest(options, this.#options.user),
      );
    });
    return true;
  }

  override close(callback?: () => void): Promise<void> {
    this.#closed = true;
    callback?.();
    return Promise.resolve();
  }

  override destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> {
    this.#closed = true;
    for (const exchange of [...this.#exchanges])
      exchange.destroy(error instanceof Error ? error : new ConnectionRefusedError());
    if (typeof error === 'function') error();
    else callback?.();
    return Promise.resolve();
  }
}

function toRequest(options: Dispatcher.DispatchOptions, user: UserInfo | undefined): ApiRequest {
  const body = options.body;
  return {
    method: options.method,
    path: options.path,
    headers: toHeaders(options.headers),
    ...(typeof body === 'string'
      ? { body }
      : body instanceof Uint8Array
        ? { body: Buffer.from(body).toString('utf8') }
        : {}),
    ...(user === undefined ? {} : { user }),
  };
}

function toHeaders(headers: Dispatcher.DispatchOptions['headers']): Record<string, string | readonly string[]> {
  const result: Record<string, string | readonly string[]> = {};
  if (headers === undefined || headers === null) return result;
  if (Array.isArray(headers)) {
    for (let index = 0; index + 1 < headers.length; index += 2)
      result[String(headers[index]).toLowerCase()] = String(headers[index + 1]);
    return result;
  }
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  for (const [name, value] of entries as Iterable<[string, string | string[] | undefined]>)
    if (value !== undefined) result[name.toLowerCase()] = value;
  return result;
}

/** One dispatched request: passes data to undici's handler, and buffers while the handler is paused. */
class DispatchedExchange {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #onDone: () => void;
  readonly #controller: Dispatcher.DispatchController;
  #exchange: Exchange | undefined;
  #held: (() => void)[] = [];
  #paused = false;
  #aborted = false;
  #reason: Error | null = null;
  #done = false;

  constructor(handler: Dispatcher.DispatchHandler, onDone: () => void) {
    this.#handler = handler;
    this.#onDone = onDone;
    this.#controller = this.#newController();
  }

  start(server: RequestHandler | undefined, request: ApiRequest): void {
    if (this.#done) return;
    try {
      this.#handler.onRequestStart?.(this.#controller, {});
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (this.#isDone()) return;
    if (server === undefined) {
      this.#fail(new ConnectionRefusedError());
      return;
    }
    this.#exchange = server.handle(request, {
      head: (status, headers) => {
        this.#give(() => this.#handler.onResponseStart?.(this.#controller, status, toIncoming(headers), ''));
      },
      data: (chunk) => {
        this.#give(() => this.#handler.onResponseData?.(this.#controller, Buffer.from(chunk)));
      },
      end: () => {
        this.#give(() => {
          this.#finish();
          this.#handler.onResponseEnd?.(this.#controller, {});
        });
      },
      fail: (error) => {
        this.#give(() => {
          this.#fail(error);
        });
      },
    });
  }

  destroy(error: Error): void {
    this.#exchange?.abort();
    this.#fail(error);
  }

  #newController(): Dispatcher.DispatchController {
    const exchange = (): this => this;
    return {
      get aborted() {
        return exchange().#aborted;
      },
      get paused() {
        return exchange().#paused;
      },
      get reason() {
        return exchange().#reason;
      },
      abort: (reason: Error) => {
        this.#abort(reason);
      },
      pause: () => {
        this.#paused = true;
      },
      resume: () => {
        this.#resume();
      },
    };
  }

  #abort(reason: Error): void {
    if (this.#aborted || this.#done) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#exchange?.abort();
    queueMicrotask(() => {
      this.#fail(reason);
    });
  }

  #resume(): void {
    this.#paused = false;
    const held = this.#held;
    this.#held = [];
    for (const give of held) this.#give(give);
  }

  #give(give: () => void): void {
    if (this.#done || this.#aborted) return;
    if (this.#paused) this.#held.push(give);
    else give();
  }

  #fail(error: Error): void {
    if (this.#done) return;
    this.#finish();
    this.#handler.onResponseError?.(this.#controller, error);
  }

  #finish(): void {
    this.#done = true;
    this.#held = [];
    this.#onDone();
  }

  #isDone(): boolean {
    return this.#done || this.#aborted;
  }
}

function toIncoming(headers: Readonly<Record<string, string | readonly string[]>>): IncomingHttpHeaders {
  // Node joins repeated headers, except cookies.
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );
}
