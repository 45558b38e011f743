import { failureKind, isApiError } from '@hawser/client';
import { type HttpErrorCode, type HttpErrorPayload, apiVersion } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import type { FastifyReply } from 'fastify';

/** A refused request, with a remedy for the caller. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    readonly code: HttpErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The contract's shape of a failure (spec/kube-bind-backend.md §13.4). */
export function errorPayload(code: HttpErrorCode, message: string): HttpErrorPayload {
  return { apiVersion, kind: 'Error', message, code };
}

/**
 * Builds the answer to a failure. One that the caller did not cause yields only the request id, which the log has too:
 * texts of the API server name objects that the caller must not see. Unexpected failures are logged.
 */
export function refusalOf(error: unknown, requestId: string, log: Logger): Refusal {
  if (error instanceof Refusal) return error;
  const status = statusOf(error);
  if (status === 413) return new Refusal(413, 'BAD_REQUEST', 'The body is longer than 1 MiB.');
  if (status === 415) return new Refusal(415, 'BAD_REQUEST', 'Send the body as application/json.');
  if (status === 429) return new Refusal(429, 'BAD_REQUEST', 'Too many requests. Wait a minute and try again.');
  if (status !== undefined && status >= 400 && status < 500)
    return new Refusal(status, 'BAD_REQUEST', error instanceof Error ? error.message : 'The request cannot be read.');
  log.error('a request failed', { requestId, error });
  const kind = isApiError(error) ? failureKind(error.code) : undefined;
  if (kind === 'rights' || kind === 'content')
    return new Refusal(
      500,
      'INTERNAL_ERROR',
      `The provider's cluster refuses what the portal asked of it; to try again at once does not help. Give your administrator the request id ${requestId}; the log of the portal has the reason.`,
    );
  // The role installs its APIs while the portal already serves; and an object may be gone since.
  const busy = isApiError(error, 'NotFound', 'Conflict', 'AlreadyExists', 'TooManyRequests');
  return new Refusal(
    busy ? 503 : 500,
    'INTERNAL_ERROR',
    `The portal could not do this${busy ? ' now' : ''}. Try again; if it goes on, give your administrator the request id ${requestId}.`,
    busy ? { 'retry-after': '2' } : {},
  );
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
}

/** Aborts when the client disconnects before its answer: the request's own signal ends with the body. */
export function whileAwaited({ raw }: FastifyReply): AbortSignal {
  const awaited = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) awaited.abort();
  });
  return awaited.signal;
}
