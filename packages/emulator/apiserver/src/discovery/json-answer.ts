import { createHash } from 'node:crypto';
import { type JsonObject, stringify } from '@hawser/json';
import type { ApiRequest, ApiResponse } from '../parts.js';

/** A document to send as it is, with a hash that detects changes. */
export interface HashedDocument {
  readonly text: string;
  /** SHA-512, upper case, as kube-openapi writes it. */
  readonly hash: string;
}

export function hashed(document: JsonObject): HashedDocument {
  const text = stringify(document);
  return { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
}

export function jsonAnswer(document: JsonObject): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: stringify(document) };
}

export function textAnswer(text: string): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body: text,
  };
}

/** A document with its hash as `ETag`; answers 304 to a client that has it. */
export function hashedAnswer(
  request: ApiRequest,
  document: HashedDocument,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const all = { ...headers, etag: `"${document.hash}"`, vary: 'Accept' };
  const known = request.headers['if-none-match'];
  if (known !== undefined && String(known).includes(`"${document.hash}"`))
    return { status: 304, headers: all, body: '' };
  return { status: 200, headers: all, body: document.text };
}
