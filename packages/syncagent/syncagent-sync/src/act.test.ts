import { expect, it } from '@jest/globals';

import { createApiServer, listen } from '@hawser/apiserver';
import { type Client, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { roughEdge } from '@hawser/testenv';

import { type PairPorts, act } from './act.js';

const configMaps: Resource = { group: '', version: 'v1', resource: 'configmaps' };
const signal = new AbortController().signal;

async function withServer(body: (client: Client, ports: PairPorts) => Promise<void>): Promise<void> {
  const server = createApiServer();
  const listener = await listen(server);
  const client = createClient({
    name: 'server',
    connection: {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token', token: server.adminToken },
    },
  });
  const side = { client, resource: configMaps, observe: () => undefined };
  try {
    await body(client, {
      source: side,
      sourceKey: key,
      destination: side,
      search: () => Promise.resolve(undefined),
      isCopy: () => true,
      makeNamespace: () => Promise.resolve(),
      store: () => undefined,
      forget: () => Promise.resolve(),
    });
  } finally {
    await client.close();
    await listener.close();
    server.stop();
  }
}

const object: UnstructuredObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'one', namespace: 'default' },
  data: { size: 'small' },
};
const key = { namespace: 'default', name: 'one' };

roughEdge(
  'RE-8',
  'a finalizer that somebody adds meanwhile stays',
  () =>
    withServer(async (client, ports) => {
      const source = await client.create(configMaps, object);
      await client.patch(configMaps, key, {
        type: 'merge',
        patch: { metadata: { finalizers: ['example.com/other'] } },
      });
      const outcome = await act({ type: 'addFinalizer', source }, ports, signal).then(
        () => 'written',
        (error: unknown) => (error as { readonly code?: string }).code,
      );
      expect([outcome, (await client.get(configMaps, key)).metadata.finalizers]).toEqual([
        'Conflict',
        ['example.com/other'],
      ]);
    }),
  'unconditional-writes',
);

roughEdge(
  'RE-42',
  'a copy that was changed since it was looked at is not patched unseen',
  () =>
    withServer(async (client, ports) => {
      const destination = await client.create(configMaps, object);
      await client.patch(configMaps, key, { type: 'merge', patch: { data: { size: 'changed' } } });
      const outcome = await act(
        { type: 'patch', destination, patch: { data: { size: 'large' } }, correction: false },
        ports,
        signal,
      ).then(
        () => 'written',
        (error: unknown) => (error as { readonly code?: string }).code,
      );
      expect([outcome, (await client.get(configMaps, key))['data']]).toEqual(['Conflict', { size: 'changed' }]);
    }),
  'unconditional-writes',
);

it('an object that the cache shows as being deleted is read live, and may be a later one of its name', () =>
  withServer(async (client, ports) => {
    const destination = { ...object, metadata: { ...object.metadata, uid: 'copy-uid' } };
    const look = async (): Promise<unknown> => {
      const { source, memory } = await act({ type: 'confirmDeletion', destination }, ports, signal);
      return [source?.metadata.uid, memory];
    };
    expect(await look()).toEqual([undefined, { deletionStands: 'copy-uid', deletionSeen: true }]);
    const held = { ...object, metadata: { ...object.metadata, finalizers: ['example.com/held'] } };
    const { metadata } = await client.create(configMaps, held);
    expect(await look()).toEqual([metadata.uid, { deletionSeen: undefined }]);
    await client.delete(configMaps, key);
    expect(await look()).toEqual([metadata.uid, { deletionStands: 'copy-uid' }]);
  }));
