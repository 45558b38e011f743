import { isOlder } from '@hawser/informer';
import { isFields } from '@hawser/json';
import type { ObjectRequest } from './asked.js';
import { type Refused, badRequest, expired } from './refused.js';

/** As an API server writes it, so that both read the same. */
const VERSION = /^(?:0|[1-9]\d{0,19})$/u;
/** In a continue token: continue with the current state. */
const NO_VERSION = -1;

/**
 * Restricts a list or watch in a namespace of the consumer to the time since the consumer had it. Pure.
 * For minutes the API server remembers the contents of a deleted namespace of that name, and shows them to requests for
 * that version. Other requests pass unchanged.
 * @param since a version of the API server at which the consumer already had the namespace; undefined: it is gone.
 * @throws {Refused} 410 for an older version: the client lists again; 400 for an invalid version
 */
export function notBefore(since: string | undefined, request: ObjectRequest): ObjectRequest {
  if (request.verb !== 'list' && request.verb !== 'watch') return request;
  if (since === undefined) throw tooOld();
  const query = new URLSearchParams(request.query);
  check(query.get('resourceVersion') ?? '', since);
  const token = query.get('continue') ?? '';
  if (token !== '') query.set('continue', checked(token, since));
  return { ...request, query };
}

const tooOld = (): Refused => expired('The provided version is too old, please list again.');

function check(version: string, since: string): void {
  if (version === '') return;
  if (!VERSION.test(version)) throw badRequest('invalid resource version: it is not a number');
  if (version !== '0' && isOlder(version, since)) throw tooOld();
}

/** A continue token of an API server, rebuilt from its parsed fields (apiserver `storage.EncodeContinue`). */
function checked(token: string, since: string): string {
  const { v, rv, start } = readToken(token);
  if (v !== 'meta.k8s.io/v1' || typeof rv !== 'number' || !Number.isSafeInteger(rv) || typeof start !== 'string')
    throw badRequest('invalid continue token: it is none of the API server');
  if (rv !== NO_VERSION) check(String(rv), since);
  return Buffer.from(JSON.stringify({ v, rv, start })).toString('base64url');
}

function readToken(token: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
