import type { Clock } from '@hawser/clock';
import { parse } from '@hawser/json';
import { ApiError, type ApiErrorCode, type RequestDescription } from './api-error.js';
import type { HttpResponse } from './exchange.js';
import { type Fields, isFields } from './metadata.js';
import type { ObjectKey, Resource, Status } from './object.js';

/** Builds the error for an answer that is not a success. */
export function errorFromResponse(
  response: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
  request: RequestDescription,
  clock: Clock,
): ApiError {
  const status = parseStatus(response.body);
  const code = codeFor(response.status, status?.reason);
  return new ApiError(code, describe(request, words(status, response), `${response.status} ${code}`), request, {
    httpStatus: response.status,
    status,
    retryAfterMs: retryAfter(response.headers['retry-after'], clock) ?? secondsToMs(status?.details?.retryAfterSeconds),
  });
}

/** Builds the error for a `Status` inside a watch. */
export function errorFromStatus(status: Status, request: RequestDescription): ApiError {
  const httpStatus = status.code ?? 500;
  const code = codeFor(httpStatus, status.reason);
  return new ApiError(
    code,
    describe(request, status.message ?? status.reason ?? 'failed', `${httpStatus} ${code}`),
    request,
    {
      httpStatus,
      status,
      retryAfterMs: secondsToMs(status.details?.retryAfterSeconds),
    },
  );
}

/** Longest text: conditions and logs quote it. */
const MAX_TEXT = 8_192;

/** `provider: update databases.example.com/status default/db1: words (422 Invalid)`. */
export function describe(request: RequestDescription, long: string, suffix?: string): string {
  const text = long.length > MAX_TEXT ? `${long.slice(0, MAX_TEXT)}…` : long;
  const object = [request.namespace, request.name].filter((part) => part !== undefined && part !== '').join('/');
  return `${request.cluster}: ${request.verb} ${request.resource}${object === '' ? '' : ` ${object}`}: ${text}${suffix === undefined ? '' : ` (${suffix})`}`;
}

/**
 * Whether the server said that this very object does not exist. A bare `isNotFound` also covers a missing API or
 * namespace, which proves nothing about the object.
 */
export function isObjectNotFound(error: unknown, resource: Resource, key: ObjectKey): error is ApiError {
  if (!(error instanceof ApiError) || error.code !== 'NotFound') return false;
  const details = error.status?.details;
  return (
    error.status?.reason === 'NotFound' &&
    details?.name === key.name &&
    details.kind === resource.resource &&
    (details.group ?? '') === resource.group
  );
}

/** Whether a value has the shape of a Status. {@link asStatus} has corrected a received one. */
export function isStatus(value: unknown): value is Status {
  return isFields(value) && value['kind'] === 'Status';
}

/** Decodes a Status, keeping the fields of the right type; undefined if it is none. */
export function asStatus(value: unknown): Status | undefined {
  if (!isStatus(value)) return undefined;
  const { status, code, reason, message, details }: Fields = { ...value };
  return {
    ...value,
    kind: 'Status',
    status: status === 'Success' || status === 'Failure' ? status : undefined,
    code: typeof code === 'number' ? code : undefined,
    reason: textOrNothing(reason),
    message: textOrNothing(message),
    details: isFields(details) ? detailsOf(details) : undefined,
  };
}

function detailsOf(details: Fields): NonNullable<Status['details']> {
  const { name, group, kind, uid, retryAfterSeconds, causes } = details;
  return {
    ...details,
    name: textOrNothing(name),
    group: textOrNothing(group),
    kind: textOrNothing(kind),
    uid: textOrNothing(uid),
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined,
    causes: Array.isArray(causes) ? causes.filter(isFields).map(causeOf) : undefined,
  };
}

function causeOf(cause: Fields): { readonly reason?: string; readonly message?: string; readonly field?: string } {
  return Object.fromEntries(
    ['reason', 'message', 'field'].flatMap((key) => (typeof cause[key] === 'string' ? [[key, cause[key]]] : [])),
  );
}

const textOrNothing = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

function parseStatus(body: string): Status | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    return asStatus(parse(body));
  } catch {
    return undefined;
  }
}

/** Maps HTTP status and reason to a code: 409 and 500 each cover several cases, and only the reason separates them. */
function codeFor(httpStatus: number, reason: string | undefined): ApiErrorCode {
  return (reason === undefined ? undefined : REASONS.get(reason)) ?? CODES.get(httpStatus) ?? 'Unknown';
}

const REASONS: ReadonlyMap<string, ApiErrorCode> = new Map<string, ApiErrorCode>([
  ['AlreadyExists', 'AlreadyExists'],
  ['ServerTimeout', 'ServerTimeout'],
  ['Timeout', 'ServerTimeout'],
  ['Gone', 'Expired'],
  ['Expired', 'Expired'],
]);

const CODES: ReadonlyMap<number, ApiErrorCode> = new Map<number, ApiErrorCode>([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'TooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [502, 'Unavailable'],
  [503, 'Unavailable'],
  [504, 'ServerTimeout'],
]);

/** Longest quote, in characters, from an answer that is not a Status. */
const SNIPPET = 200;

function words(status: Status | undefined, response: Pick<HttpResponse, 'status' | 'body'>): string {
  if (status !== undefined) return status.message ?? status.reason ?? 'failed';
  const text = response.body.replaceAll(/\s+/gu, ' ').trim();
  if (text === '') return 'the server gave no reason';
  return text.length > SNIPPET ? `${text.slice(0, SNIPPET)}…` : text;
}

function retryAfter(header: string | string[] | undefined, clock: Clock): number | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  if (value === undefined) return undefined;
  if (/^\d+$/u.test(value)) return atMost(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : atMost(Math.max(0, date - clock.now()));
}

function secondsToMs(seconds: number | undefined): number | undefined {
  return typeof seconds === 'number' && seconds > 0 ? atMost(seconds * 1000) : undefined;
}

/** Longest accepted Retry-After. */
const LONGEST_RETRY_AFTER_MS = 600_000;

const atMost = (ms: number): number => Math.min(ms, LONGEST_RETRY_AFTER_MS);
