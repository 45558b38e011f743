import type { JsonObject, JsonValue } from '@hawser/json';

/** Reasons of a `Status` (apimachinery `metav1.StatusReason`) that this server answers with. */
export type StatusReason =
  | ''
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Invalid'
  | 'ServerTimeout'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'Expired'
  | 'ServiceUnavailable'
  | 'NotImplemented';

export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The resource (`configmaps`) of most errors; the kind (`ConfigMap`) of `Invalid`. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** An error answer. Code below the handlers throws it; any other exception becomes a 500. */
export class StatusError extends Error {
  override readonly name = 'StatusError';

  constructor(
    readonly code: number,
    readonly reason: StatusReason,
    message: string,
    readonly details?: StatusDetails,
    /** Metadata of the list, to resume after an expired continue token. */
    readonly listMeta: JsonObject = {},
  ) {
    super(message);
  }

  /** Body of the answer. */
  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.listMeta,
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: withoutEmpty(this.details) }),
      code: this.code,
    };
  }
}

/** Go omits empty strings and zeros of a Status. */
function withoutEmpty(details: StatusDetails): JsonObject {
  const entries = Object.entries(details as Readonly<Record<string, JsonValue>>);
  return Object.fromEntries(
    entries.filter(([, value]) => value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0)),
  );
}

/** `configmaps`, `widgets.example.com`. */
export function resourceString({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** A string as Go prints it with `%q`. */
export function quote(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\u00a0\u00ad\u2028\u2029\ufeff]/gu, (char) => {
    const code = char.charCodeAt(0);
    return code < 0x100 && code === 0x7f ? '\\x7f' : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const about = (resource: GroupResource, name: string): StatusDetails => ({
  name,
  group: resource.group,
  kind: resource.resource,
});

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${resourceString(resource)} ${quote(name)} not found`,
    about(resource, name),
  );
}

/** Nothing exists at this path. */
export function noSuchPath(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: GroupResource, name: string): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${resourceString(resource)} ${quote(name)} already exists`,
    about(resource, name),
  );
}

export function generateNameConflict(resource: GroupResource, name: string): StatusError {
  const message = `${resourceString(resource)} ${quote(name)} already exists, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', message, { ...about(resource, name), retryAfterSeconds: 1 });
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${resourceString(resource)} ${quote(name)}: ${why}`,
    about(resource, name),
  );
}

export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return new StatusError(409, 'Conflict', message, { causes });
}

export function forbidden(resource: GroupResource, name: string, why: string): StatusError {
  const subject = name === '' ? resourceString(resource) : `${resourceString(resource)} ${quote(name)}`;
  const message = resource.resource === '' ? `forbidden: ${why}` : `${subject} is forbidden: ${why}`;
  return new StatusError(403, 'Forbidden', message, about(resource, name));
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return new StatusError(401, 'Unauthorized', message);
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function methodNotSupported(resource: GroupResource, verb: string): StatusError {
  const message = `${verb} is not supported on resources of kind ${quote(resourceString(resource))}`;
  return new StatusError(405, 'MethodNotAllowed', message, { group: resource.group, kind: resource.resource });
}

/** The path exists but lacks this method. */
export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function expired(message: string, listMeta?: JsonObject): StatusError {
  return new StatusError(410, 'Expired', message, undefined, listMeta);
}

export function tooLarge(message: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

export function notAcceptable(message: string): StatusError {
  return new StatusError(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(message: string): StatusError {
  return new StatusError(415, 'UnsupportedMediaType', message);
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The requested resource version is in the future. */
export function timeoutTooLargeResourceVersion(wanted: bigint | number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** The real API server supports this and this one does not. It never guesses an answer. */
export function notImplemented(what: string): StatusError {
  return new StatusError(501, 'NotImplemented', `${what} is not implemented by the embedded API server`, {});
}
