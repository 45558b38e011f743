import { parseJson } from './decode.js';
import type { HttpRequest, HttpResponse } from './exchange.js';
import type { Resource } from './object.js';
import { reasonOf } from './reason.js';
import { InvalidRequestError } from './requester.js';

export interface Message {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly accept: string;
  readonly maxBytes?: number | undefined;
  readonly body?: string;
  readonly contentType?: string;
}

/**
 * Builds a request. Called where its errors become ApiErrors: a name may not fit into a path, an object may not be
 * JSON.
 */
export type Build = () => Message;

export function attemptBuild(build: Build): Message {
  try {
    return build();
  } catch (error) {
    throw new InvalidRequestError(reasonOf(error), { cause: error });
  }
}

/** Not everything below the server's URL speaks JSON: `/readyz` says `ok`. */
export function decodeRaw(response: HttpResponse): unknown {
  return String(response.headers['content-type']).includes('json') ? parseJson(response.body) : response.body;
}

/** The target of a request; becomes its description in errors. */
export interface Target {
  readonly verb: string;
  readonly resource: Resource;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}
