import { failureKind, isApiError } from '@hawser/client';
import { type HttpErrorCode, type HttpErrorPayload, apiVersion } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import type { FastifyReply } from 'fastify';

/** A request that is refused, with what the one who asked can do about it. */
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
 * What is told of a failure. Of one that is not the asker's doing only that it happened, and the id of the request, by which the log has it: words of the API server name objects that
 * are none of the asker's business. The log gets what nobody has foreseen.
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
  // The role installs its own APIs while the portal serves already; and what was there may be gone.
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

/** Until somebody is gone who has not been answered: the request's own signal ends with the body. */
export function whileAwaited({ raw }: FastifyReply): AbortSignal {
  const awaited = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) awaited.abort();
  });
  return awaited.signal;
}
