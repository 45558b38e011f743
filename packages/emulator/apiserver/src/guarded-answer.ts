import { stringify } from '@hawser/json';
import type { Answer, Headers } from './handlers/answer.js';
import type { ApiRequest } from './parts.js';
import { StatusError, internalError } from './status.js';

const COMMON: Headers = { 'cache-control': 'no-cache, private' };

/**
 * The answer of `route` with the headers of every answer, or the Status of its exception. Reports anything but a
 * StatusError, and answers 500. Warnings added meanwhile go into the header.
 */
export function guardedAnswer(
  request: ApiRequest,
  warnings: readonly string[],
  report: (error: unknown) => void,
  route: () => Answer,
): Answer {
  try {
    const routed = route();
    const answer = request.method === 'HEAD' && routed.kind === 'whole' ? { ...routed, body: '' } : routed;
    return { ...answer, headers: { ...COMMON, ...answer.headers, ...warningHeader(warnings) } };
  } catch (error) {
    const status = statusOf(error, report);
    const retry = status.details?.retryAfterSeconds;
    const headers = {
      ...COMMON,
      'content-type': 'application/json',
      ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
      ...warningHeader(warnings),
    };
    return {
      kind: 'whole',
      status: status.code,
      headers,
      body: request.method === 'HEAD' ? '' : `${stringify(status.toStatus())}\n`,
    };
  }
}

export function plainText(status: number, body: string): Answer {
  return {
    kind: 'whole',
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...(status === 404 ? { 'x-content-type-options': 'nosniff' } : {}),
    },
    body,
  };
}

function statusOf(error: unknown, report: (error: unknown) => void): StatusError {
  if (error instanceof StatusError) return error;
  report(error);
  return internalError(error instanceof Error ? error.message : String(error));
}

function warningHeader(warnings: readonly string[]): Headers {
  const unique = [...new Set(warnings)];
  return unique.length === 0
    ? {}
    : { warning: unique.map((text) => `299 - "${text.replaceAll(/[\\"]/gu, '\\$&').replaceAll(/[\r\n]+/gu, ' ')}"`) };
}
