import { type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import type { SharedControlPlane } from '@hawser/testenv';
import { request as httpsRequest } from 'node:https';
import type { ApiServer } from '../api-server.js';
import { administrator } from '../create-api-server.js';

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonValue;
}

/** Sends the same request, as administrator, to a real API server and to an embedded one. */
export async function askBoth(
  real: SharedControlPlane,
  embedded: ApiServer,
  question: Question,
): Promise<{ real: Reply; embedded: Reply }> {
  const headers = {
    accept: 'application/json',
    'content-type': question.contentType ?? 'application/json',
    'user-agent': 'test',
    ...question.headers,
  };
  const answer = await embedded.request({
    method: question.method,
    path: question.path,
    headers,
    user: administrator,
    ...(question.body === undefined ? {} : { body: stringify(question.body) }),
  });
  return { real: await askReal(real, question, headers), embedded: { status: answer.status, body: read(answer.body) } };
}

function askReal(
  { connection }: SharedControlPlane,
  { method, path, body }: Question,
  headers: Record<string, string>,
): Promise<Reply> {
  const { credentials, server, caData } = connection;
  if (credentials.kind !== 'certificate') throw new Error('the administrator has a certificate');
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      `${server}${path}`,
      { method, headers, ca: caData, cert: credentials.cert, key: credentials.key, agent: false },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('end', () => {
            resolve({ status: response.statusCode ?? 0, body: read(text) });
          });
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : stringify(body));
  });
}

function read(text: string): JsonValue {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

const assigned = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'time',
  'token',
  'expirationTimestamp',
  'authentication.kubernetes.io/credential-id',
  'storageVersionHash',
];

/** Without server-assigned values. */
export function comparable(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value as JsonObject).flatMap(([key, each]) =>
      each === undefined || assigned.includes(key) ? [] : [[key, comparable(each)]],
    ),
  );
}
