import type { Status } from '@hawser/client';

/** Identifies the request. */
export interface Target {
  /** Empty: the core API. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: none. */
  readonly namespace: string;
  /** Empty: the collection. */
  readonly name: string;
  /** Empty: the object itself. */
  readonly subresource: string;
}

type Reason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Timeout';

/** A failure, in the words and the shape of an API server. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: Status & { readonly code: number };
  /** For a header `Retry-After`, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  /** @param continueToken lets an expired list continue with the current state. */
  constructor(
    code: number,
    reason: Reason,
    message: string,
    details?: Status['details'],
    retryAfterSeconds?: number,
    continueToken?: string,
  ) {
    super(message);
    const fullDetails =
      details === undefined && retryAfterSeconds === undefined
        ? undefined
        : { ...details, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
    this.retryAfterSeconds = retryAfterSeconds;
    this.status = {
      kind: 'Status',
      ...{ apiVersion: 'v1', metadata: continueToken === undefined ? {} : { continue: continueToken } },
      status: 'Failure',
      message,
      reason,
      ...(fullDetails === undefined ? {} : { details: fullDetails }),
      code,
    };
  }
}

export const badRequest = (message: string): Refused => new Refused(400, 'BadRequest', message);
export const unauthorized = (): Refused => new Refused(401, 'Unauthorized', 'Unauthorized');
export const expired = (message: string): Refused => new Refused(410, 'Expired', message);
/** The API server's answer for a version that it has not reached. */
export const tooLarge = (version: string, current: string, retryAfterSeconds?: number): Refused =>
  new Refused(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${version}, current: ${current}`,
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }] },
    retryAfterSeconds,
  );
export const methodNotAllowed = (): Refused =>
  new Refused(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
export const notAcceptable = (message: string): Refused => new Refused(406, 'NotAcceptable', message);
export const noSuchPath = (): Refused =>
  new Refused(404, 'NotFound', 'the server could not find the requested resource', {});
export const unavailable = (message: string): Refused => new Refused(503, 'ServiceUnavailable', message, undefined, 1);
export const tooMany = (): Refused =>
  new Refused(
    429,
    'TooManyRequests',
    'too many requests of this consumer at a time, please try again later',
    undefined,
    1,
  );
export const tooManyConnections = (): Refused =>
  new Refused(
    429,
    'TooManyRequests',
    'too many connections from this address at a time, please close some, or try again later',
    undefined,
    10,
  );
export const tooManyAsk = (): Refused =>
  new Refused(429, 'TooManyRequests', 'too many new tokens at a time, please try again later', undefined, 1);

/** The API server's answer for a missing object. */
export function notFound({ group, resource, name }: Pick<Target, 'group' | 'resource' | 'name'>): Refused {
  return new Refused(404, 'NotFound', `${qualified(group, resource)} "${name}" not found`, {
    name,
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

/** The API server's answer to a create if the name is taken. */
export function alreadyExists({ group, resource, name }: Pick<Target, 'group' | 'resource' | 'name'>): Refused {
  return new Refused(409, 'AlreadyExists', `${qualified(group, resource)} "${name}" already exists`, {
    name,
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}

/** The API server's answer to a caller without the right (apiserver `responsewriters.Forbidden`). */
export function forbidden(user: string, verb: string, target: Target, because = ''): Refused {
  const { group, resource, namespace, name, subresource } = target;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const named = name === '' ? '' : ` "${name}"`;
  return new Refused(
    403,
    'Forbidden',
    `${qualified(group, resource)}${named} is forbidden: User "${user}" cannot ${verb} resource "${what}" in API group "${group}" ${where}${because}`,
    { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource },
  );
}

const qualified = (group: string, resource: string): string => (group === '' ? resource : `${resource}.${group}`);
