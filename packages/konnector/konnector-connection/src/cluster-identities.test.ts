import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { type Client, createClient } from '@hawser/client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { readConsumerIdentity, readProviderIdentity } from './index.js';

type Answer = { readonly uid: string } | 'missing' | 'forbidden' | 'no such API';

describe('the identity of a cluster', () => {
  let server: Server;
  let client: Client;
  let namespaces: Readonly<Record<string, Answer>>;

  beforeEach(async () => {
    server = createServer(({ url = '' }, response) => {
      const name = url.slice('/api/v1/namespaces/'.length);
      const answer = namespaces[name] ?? 'missing';
      const failure = (code: number, reason: string): void => {
        response.writeHead(code, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            code,
            reason,
            message: reason,
            details: { name, kind: 'namespaces' },
          }),
        );
      };
      if (answer === 'missing') failure(404, 'NotFound');
      else if (answer === 'forbidden') failure(403, 'Forbidden');
      else if (answer === 'no such API') response.writeHead(404).end('404 page not found');
      else
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name, uid: answer.uid } }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    client = createClient({
      name: 'consumer',
      connection: {
        server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        credentials: { kind: 'none' },
      },
    });
  });
  afterEach(async () => {
    await client.close();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const read = (): Promise<string> => readConsumerIdentity(client, AbortSignal.timeout(20_000));

  it('is the uid of kube-system, or of default where the server says that there is none', async () => {
    namespaces = { 'kube-system': { uid: 'system' }, default: { uid: 'default' } };
    expect(await read()).toBe('system');
    namespaces = { default: { uid: 'default' } };
    expect(await read()).toBe('default');
  });

  it.each<[Answer, string]>([
    ['forbidden', 'Forbidden'],
    ['no such API', 'NotFound'],
  ])(
    'is unknown where kube-system answers "%s": the uid of default would be another identity',
    async (answer, code) => {
      namespaces = { 'kube-system': answer, default: { uid: 'default' } };
      await expect(read()).rejects.toMatchObject({ code });
    },
  );

  it('is unknown where there is neither', async () => {
    namespaces = {};
    await expect(read()).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('is that of the cluster namespace on the provider', async () => {
    namespaces = { 'kube-bind-x': { uid: 'provider' } };
    expect(await readProviderIdentity(client, 'kube-bind-x', AbortSignal.timeout(20_000))).toBe('provider');
    await expect(readProviderIdentity(client, 'kube-bind-y', AbortSignal.timeout(20_000))).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});
