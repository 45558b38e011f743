import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Passage, PassedAnswer, PassedRequest } from '@hawser/client';
import type { Identity } from './identity.js';
import { Refused, unavailable } from './refused.js';

/** The API server's limit for a request body (apiserver `DefaultMaxRequestSizeBytes`). */
const MOST_BODY_BYTES = 3 * 1024 * 1024;

/** The body of a request. @throws {Refused} 413 */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES)
      throw new Refused(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MOST_BODY_BYTES}`);
    chunks.push(chunk);
  }
  return bytes === 0 ? undefined : Buffer.concat(chunks);
}

/** Forwards a request with its caller's credential. @throws {Refused} 503 if the API server does not answer */
export async function sendOn(
  passage: Passage,
  { token }: Identity,
  request: Omit<PassedRequest, 'headers'> & { readonly headers?: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<PassedAnswer> {
  try {
    return await passage.send(
      { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } },
      signal,
    );
  } catch {
    // Without the cause, which concerns a request with a token.
    throw unavailable('the API server cannot be reached, please try again');
  }
}

const LONGEST_HEADER = 1_024;

/**
 * The headers of a request that an API server uses. Never one that names a user or a proxy.
 * @param mayZip whether the answer may be compressed.
 */
export function headersOn({ headers }: IncomingMessage, mayZip = true): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const name of ['accept', 'content-type', 'user-agent'] as const) {
    const value = headers[name];
    if (value !== undefined && value.length <= LONGEST_HEADER) result[name] = value;
  }
  if (mayZip && /\bgzip\b/u.test(headers['accept-encoding']?.toString() ?? '')) result['accept-encoding'] = 'gzip';
  return result;
}

const SHOWN = ['content-type', 'content-encoding', 'retry-after', 'warning', 'audit-id'] as const;

/**
 * Returns an answer unchanged.
 * @param atOnce sends the head before there is any body.
 */
export async function handOn(answer: PassedAnswer, response: ServerResponse, atOnce = false): Promise<void> {
  for (const name of SHOWN) {
    const value = answer.headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(answer.status);
  // Node encodes the letters of a separate head once more. A warning would be unreadable.
  if (atOnce) response.flushHeaders();
  await pipeline(answer.body, response);
}

/** The body of an answer as text, up to `most` bytes. @throws {Refused} 503 if it is longer */
export async function textOfAnswer({ body }: PassedAnswer, most = 32 * 1024 * 1024): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > most) throw unavailable('the answer of the API server is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
