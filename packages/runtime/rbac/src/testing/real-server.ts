import { request as httpsRequest } from 'node:https';
import type { SharedControlPlane } from '@hawser/testenv';
import type { User } from '../attributes.js';

export interface Answer<T> {
  readonly status: number;
  readonly body: T;
}

/** A request of the administrator, or impersonating another user. The caller knows the shape of the answer. */
export const ask = async <T>(
  { connection }: SharedControlPlane,
  method: string,
  path: string,
  body?: object,
  as?: User,
): Promise<Answer<T>> => {
  const { credentials, server, caData } = connection;
  if (credentials.kind !== 'certificate') {
    throw new Error('the administrator has a certificate');
  }
  const impersonation = as === undefined ? {} : { 'impersonate-user': as.name, 'impersonate-group': [...as.groups] };
  const headers = { accept: 'application/json', 'content-type': 'application/json', ...impersonation };
  const { promise, resolve, reject } = Promise.withResolvers<Answer<T>>();
  const sent = httpsRequest(
    `${server}${path}`,
    { method, headers, ca: caData, cert: credentials.cert, key: credentials.key, agent: false },
    (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as T });
      });
    },
  );
  sent.on('error', reject);
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
};
