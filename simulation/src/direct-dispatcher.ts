import type { ApiServer } from '@hawser/apiserver';
import { Dispatcher } from 'undici';
import { requestOf } from './request-of.js';

/** Sends requests straight to a server, without a network: for the people of a simulation. */
export class DirectDispatcher extends Dispatcher {
  readonly #server: () => Pick<ApiServer, 'handle'>;

  constructor(server: () => Pick<ApiServer, 'handle'>) {
    super();
    this.#server = server;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const controller: Dispatcher.DispatchController = {
      aborted: false,
      paused: false,
      reason: null,
      abort: () => {
        exchange.abort();
      },
      pause: () => undefined,
      resume: () => undefined,
    };
    handler.onRequestStart?.(controller, undefined);
    const exchange = this.#server().handle(requestOf(options), {
      head: (status, headers) => {
        handler.onResponseStart?.(controller, status, headers as Record<string, string>);
      },
      data: (chunk) => {
        handler.onResponseData?.(controller, Buffer.from(chunk));
      },
      end: () => {
        handler.onResponseEnd?.(controller, {});
      },
      fail: (error) => {
        handler.onResponseError?.(controller, error);
      },
    });
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    callback?.();
    return callback === undefined ? Promise.resolve() : undefined;
  }

  override destroy(error?: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override destroy(first?: Error | null | (() => void), second?: () => void): Promise<void> | undefined {
    const callback = typeof first === 'function' ? first : second;
    callback?.();
    return callback === undefined ? Promise.resolve() : undefined;
  }
}
