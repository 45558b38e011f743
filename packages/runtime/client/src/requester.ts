import type { Clock, Random } from '@hawser/clock';
import { type Logger, withSpan } from '@hawser/telemetry';
import { ApiError, type RequestDescription, isApiError } from './api-error.js';
import type { ClientMetrics } from './client-metrics.js';
import { MalformedError } from './malformed-error.js';
import { type ByteSink, ConnectionError, HeldBackError, type HttpRequest, type HttpResponse } from './exchange.js';
import { type Limiter, pause } from './limiter.js';
import { reasonOf } from './reason.js';
import { type Outages, isAnswer } from './recovery.js';
import { type RequestScope, ScopeEndedError } from './request-scope.js';
import { retryDelay } from './retry.js';
import type { ServerTime } from './server-time.js';
import { describe, errorFromResponse, errorFromStatus, isStatus } from './status-error.js';
import { CredentialsError, type Transport, type TransportResponse } from './transport.js';
import { messageOf } from './words.js';

export interface RequesterOptions {
  readonly transport: Transport;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: ClientMetrics;
  /** Receives the outcome of each request. */
  readonly outages: Pick<Outages, 'suspect' | 'answered' | 'isUnproven' | 'proven'>;
  /** Receives the `Date` of each answer. */
  readonly serverTime: Pick<ServerTime, 'hear'>;
}

/** A request, and its description for errors. */
export interface Call extends HttpRequest {
  readonly description: RequestDescription;
  /** Replaces the path in the server's URL. */
  readonly basePath?: string | undefined;
  /** Longest answer; a longer one fails. */
  readonly maxBytes?: number | undefined;
}

/** The request cannot be built: a name does not fit into a path, or an object is not JSON. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';
}

/** Sends requests and retries them until they succeed or must not be sent again. Every failure is an ApiError. */
export class Requester {
  readonly #options: RequesterOptions;

  constructor(options: RequesterOptions) {
    this.#options = options;
  }

  scope(signals: readonly (AbortSignal | undefined)[], timeoutMs: number): RequestScope {
    return this.#options.transport.scope(signals, timeoutMs);
  }

  /**
   * Resolves with a successful answer. With a `sink`, the body goes there, and the request takes no slot of the
   * limiter.
   */
  send(call: Call, scope: RequestScope, sink?: ByteSink): Promise<HttpResponse> {
    if (sink !== undefined) return this.#send(call, scope, sink);
    const { verb, resource, namespace = '', name = '' } = call.description;
    return withSpan('@hawser/client', `${verb} ${resource}`, () => this.#send(call, scope), {
      verb,
      resource,
      namespace,
      name,
    });
  }

  async #send(call: Call, scope: RequestScope, sink?: ByteSink): Promise<HttpResponse> {
    const { clock, random, logger } = this.#options;
    const safe = call.method === 'GET';
    let renewed = false;
    for (let failures = 1; ; failures++) {
      let failure: { readonly error: ApiError; readonly sent: boolean };
      try {
        const response = await this.#attempt(call, renewed, scope, sink);
        if (response.status < 300) return response;
        failure = { error: errorFromResponse(response, call.description, clock), sent: true };
        // The server answers 401 before it carries anything out, so any request may be sent again: once.
        if (response.status === 401 && response.renewable && !renewed) {
          renewed = true;
          continue;
        }
      } catch (error) {
        failure = {
          error: this.toError(error, call.description),
          sent: !(error instanceof ConnectionError) || error.sent,
        };
        if (error instanceof CredentialsError) throw failure.error;
      }
      const delay = retryDelay({ ...failure, safe, failures, random });
      if (delay === undefined || !scope.lasts(delay)) throw failure.error;
      if (logger.isEnabled('debug'))
        logger.debug('A request failed and will be sent again.', {
          reason: failure.error.message,
          delayMs: Math.round(delay),
        });
      try {
        await pause(clock, delay, scope);
      } catch (error) {
        throw this.toError(error, call.description);
      }
    }
  }

  async #attempt(
    call: Call,
    renewCredentials: boolean,
    scope: RequestScope,
    sink: ByteSink | undefined,
  ): Promise<TransportResponse> {
    const { transport, limiter, clock, metrics, outages, serverTime } = this.#options;
    const release = sink === undefined ? await this.#acquire(call, scope) : undefined;
    const started = clock.monotonic();
    let code = 'Unreachable';
    try {
      metrics.inFlight(limiter.inFlight);
      const maySend = call.method === 'GET' ? undefined : (): boolean => !outages.isUnproven;
      const response = await transport.send({ ...call, renewCredentials, maySend }, scope, sink);
      code = String(response.status);
      serverTime.hear(response.headers.date);
      if (isAnswer(response.status)) outages.answered();
      else outages.suspect();
      return response;
    } catch (error) {
      if (error instanceof ScopeEndedError) code = error.ending.code;
      const isSilent = error instanceof ConnectionError && !(error.cause instanceof HeldBackError);
      if (isSilent || code === 'Timeout') outages.suspect();
      throw error;
    } finally {
      release?.();
      metrics.inFlight(limiter.inFlight);
      metrics.exchanged({
        verb: call.description.verb,
        method: call.method,
        host: transport.host,
        code,
        seconds: (clock.monotonic() - started) / 1000,
      });
    }
  }

  /** Takes a place among the limited requests. A write first waits for the proof of the server: the proof needs a place itself. */
  async #acquire({ method }: Call, scope: RequestScope): Promise<() => void> {
    const { limiter, outages } = this.#options;
    if (method === 'GET') return limiter.acquire(scope);
    for (;;) {
      if (outages.isUnproven)
        await scope.during<undefined>((resolve, reject) => {
          outages.proven().then(
            () => {
              resolve(undefined);
            },
            (error: unknown) => {
              reject(unproven(error));
            },
          );
          return () => undefined;
        });
      const release = await limiter.acquire(scope);
      if (!outages.isUnproven) return release;
      release();
    }
  }

  /** Converts anything that ends a request or a watch to an ApiError. */
  toError(problem: unknown, request: RequestDescription): ApiError {
    if (problem instanceof ApiError) return problem;
    if (isStatus(problem)) return errorFromStatus(problem, request);
    if (problem instanceof ScopeEndedError) {
      switch (problem.ending.code) {
        case 'Aborted':
          return new ApiError('Aborted', describe(request, 'aborted', 'Aborted'), request, {
            cause: problem.ending.cause,
          });
        case 'Timeout':
          return new ApiError(
            'Timeout',
            describe(request, `no answer within ${problem.ending.timeoutMs} ms`, 'Timeout'),
            request,
          );
      }
    }
    if (problem instanceof MalformedError) {
      return new ApiError('Malformed', describe(request, problem.message, 'Malformed'), request, { cause: problem });
    }
    if (problem instanceof InvalidRequestError) {
      return new ApiError('BadRequest', describe(request, problem.message, 'not sent'), request, { cause: problem });
    }
    const cause = problem instanceof ConnectionError ? problem.cause : problem;
    const text =
      problem instanceof CredentialsError && problem.cause !== undefined
        ? `${problem.message}: ${reasonOf(problem.cause)}`
        : reasonOf(cause);
    return new ApiError('Unreachable', describe(request, text, 'Unreachable'), request, { cause });
  }
}

/** A refusal or 404 concerns the object that the proof reads: callers must not take it for an answer to the write. */
function unproven(error: unknown): Error {
  const passes = error instanceof Error && !isApiError(error, 'Forbidden', 'NotFound');
  return passes ? error : new Error(messageOf(error), { cause: error });
}
