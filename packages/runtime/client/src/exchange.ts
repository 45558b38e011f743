import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHeaders } from '@hawser/kubeconfig';
import type { Dispatcher } from 'undici';
import { AnswerTooLongError } from './malformed-error.js';
import type { RequestScope } from './request-scope.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers: RequestHeaders;
  readonly body?: string | undefined;
  /** Asked when a connection is there, right before the first byte is written. If false, the request fails unsent. */
  readonly maySend?: (() => boolean) | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Empty when the body goes to a {@link ByteSink}. */
  readonly body: string;
}

/** The connection failed before the answer was complete. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    /** False: no byte of the request was written, so the server cannot have carried it out. */
    readonly sent: boolean,
    cause: unknown,
  ) {
    super('connection failed', { cause });
  }
}

export interface FlowControl {
  pause(): void;
  resume(): void;
  /** Destroys the socket. */
  abort(): void;
}

/** Takes the body of a successful answer chunk by chunk. */
export interface ByteSink {
  start(control: FlowControl): void;
  data(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/**
 * Performs one HTTP exchange. Resolves with the answer, whatever its status; with a `sink`, as soon as a 200 begins.
 * Rejects with {@link ConnectionError} without an answer, with {@link AnswerTooLongError} beyond `maxBytes` (without a
 * sink), and when the scope ends.
 *
 * Uses undici's dispatch, not its `request()`: that rejects an aborted request only once a connection exists, and adds
 * a stream.
 */
export function exchange(
  dispatcher: Dispatcher,
  origin: string,
  request: HttpRequest,
  scope: RequestScope,
  maxBytes: number,
  sink?: ByteSink,
): Promise<HttpResponse> {
  return scope.during<HttpResponse>((resolve, reject) => {
    const handler = new ExchangeHandler(resolve, reject, { scope, maySend: request.maySend, maxBytes, sink });
    try {
      dispatcher.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers: request.headers as Record<string, string | string[]>,
          body: request.body ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
          // Explicit: undici would close the connection after a DELETE with a body, which API servers read normally.
          reset: false,
        },
        handler,
      );
    } catch (error) {
      reject(new ConnectionError(false, error));
    }
    return () => {
      handler.cancel();
    };
  });
}

class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** The request waited for a connection, and must not be sent any more. */
export class HeldBackError extends Error {
  override readonly name = 'HeldBackError';

  constructor() {
    super('the connection was lost before the request was sent');
  }
}

interface ExchangeOptions {
  readonly scope: RequestScope;
  readonly maySend: (() => boolean) | undefined;
  readonly maxBytes: number;
  readonly sink: ByteSink | undefined;
}

class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #options: ExchangeOptions;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { readonly status: number; readonly headers: IncomingHttpHeaders } | undefined;
  #streaming = false;
  #cancelled = false;

  constructor(resolve: (response: HttpResponse) => void, reject: (error: Error) => void, options: ExchangeOptions) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#options = options;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#controller?.abort(new CancelledError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here drops the request and keeps the connection usable for the next one.
    const { scope, maySend } = this.#options;
    if (this.#cancelled || scope.over) throw new CancelledError();
    if (maySend?.() === false) throw new HeldBackError();
    this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    this.#head = { status, headers };
    if (this.#options.sink === undefined || status !== 200) return;
    this.#streaming = true;
    this.#options.sink.start({
      pause: () => {
        controller.pause();
      },
      resume: () => {
        controller.resume();
      },
      abort: () => {
        controller.abort(new CancelledError());
      },
    });
    this.#resolve({ status, headers, body: '' });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#streaming) {
      this.#options.sink?.data(chunk);
      return;
    }
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#options.maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#chunks = [];
    this.#reject(new AnswerTooLongError(this.#options.maxBytes));
    controller.abort(new CancelledError());
  }

  onResponseEnd(): void {
    if (this.#streaming) {
      this.#options.sink?.end();
    } else if (this.#head !== undefined) {
      const [first, ...others] = this.#chunks;
      const body =
        first === undefined ? '' : (others.length === 0 ? first : Buffer.concat(this.#chunks)).toString('utf8');
      this.#resolve({ ...this.#head, body });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#streaming) this.#options.sink?.fail(error);
    else this.#reject(new ConnectionError(this.#controller !== undefined, error));
  }
}
