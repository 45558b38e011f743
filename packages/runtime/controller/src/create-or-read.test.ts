import { type ApiServer, DirectDispatcher, administrator, createApiServer } from '@hawser/apiserver';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type InformerHandle, type SharedInformers, createSharedInformers } from '@hawser/informer';
import { createLogger, noMetrics } from '@hawser/telemetry';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

import { createOrRead } from './create-or-read.js';

const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const { signal } = new AbortController();
const object = (name: string, size = 'small'): KubeObject & Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data: { size },
});
const key = { namespace: 'default', name: 'one' };

let server: ApiServer;
let client: Client;
let informers: SharedInformers;
let cache: InformerHandle<KubeObject>;

beforeEach(async () => {
  server = createApiServer();
  client = createClient({
    name: 'server',
    connection: { server: 'https://server.invalid', credentials: { kind: 'none' } },
    // Asked for each request, so that another server may come to stand in its place.
    dispatcher: () => new DirectDispatcher({ server: () => server, user: administrator }),
  });
  const logger = createLogger({ level: 'error', format: 'json' });
  informers = createSharedInformers({ client, clock: new FakeClock(), random: () => 0, logger, metrics: noMetrics });
  cache = informers.acquire({ resource: configMaps });
  await cache.synced();
});
afterEach(async () => {
  await informers.close();
  await client.close();
  server.stop();
});

const make = (size?: string): Promise<string> =>
  createOrRead(cache, client, configMaps, object('one', size), { signal }).then(
    () => 'done',
    (error: unknown) => (error as { readonly code?: string }).code ?? 'unknown',
  );

it('has the cache take in what was made', async () => {
  expect([await make(), cache.get(key)]).toEqual(['done', expect.objectContaining({ data: { size: 'small' } })]);
});

it('has the cache take in what is there already', async () => {
  await client.create(configMaps, object('one', 'large'));
  expect([await make(), cache.get(key)]).toEqual(['done', expect.objectContaining({ data: { size: 'large' } })]);
});

it('fails where the server is as it was before, of which the cache does not hear', async () => {
  for (let count = 0; count < 50; count++) cache.observe(await client.create(configMaps, object(`other-${count}`)));
  const later = server;
  server = createApiServer();
  try {
    await client.create(configMaps, object('one'));
    expect([await make(), cache.get(key)]).toEqual(['AlreadyExists', undefined]);
  } finally {
    later.stop();
  }
});
