import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ApiServer, type Listener, createApiServer, listen } from '@hawser/apiserver';
import { type Client, type KubeObject, type Resource, type UnstructuredObject, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { installCRDs as installCoreKbind, resources as coreKbind } from '@hawser/core-kbind';
import { type APIServiceBinding, consumerCRDs, installCRDs, resources } from '@hawser/kube-bind';
import { eventually, kubeconfigText } from '@hawser/testenv';
import {
  type PublishedResource,
  installCRDs as installSyncagentCRDs,
  resources as syncagentResources,
} from '@hawser/syncagent-api';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { ConfigError } from '@hawser/config';
import { readRetry } from './retry.js';

const databases: Resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const NOW = Date.parse('2026-01-02T03:04:05Z');
const AT = '2026-01-02T03:04:05.000Z';

const crdOf = (
  plural: string,
  kind: string,
  ownerReferences: readonly object[],
  group = 'example.com',
): UnstructuredObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, ownerReferences } as UnstructuredObject['metadata'],
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

describe('hawser retry', () => {
  let folder: string;
  let server: ApiServer;
  let listener: Listener;
  let client: Client;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-retry-'));
    server = createApiServer();
    listener = await listen(server);
    const connection = {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token' as const, token: server.adminToken },
    };
    writeFileSync(join(folder, 'consumer'), kubeconfigText('consumer', connection));
    client = createClient({ name: 'consumer', connection });
    await installCRDs(client, consumerCRDs, { clock: systemClock });
    const binding = await client.create(resources.apiServiceBindings, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      metadata: { name: 'databases' },
      spec: { kubeconfigSecretRef: { name: 'kubeconfig', key: 'kubeconfig', namespace: 'kube-bind' } },
    } as APIServiceBinding);
    const owner = {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceBinding',
      name: 'databases',
      uid: binding.metadata.uid ?? '',
    };
    for (const [plural, kind, owners, group] of [
      ['databases', 'Database', [owner], 'example.com'],
      ['tables', 'Table', [], 'example.com'],
      ['volumes', 'Volume', [owner], 'example.com'],
      ['volumes', 'Volume', [owner], 'other.com'],
    ] as const) {
      await client.create(resources.customResourceDefinitions, crdOf(plural, kind, owners, group));
    }
    await client.create(databases, {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { name: 'orders', namespace: 'default' },
    });
  });
  afterAll(async () => {
    await client.close();
    await listener.close();
    server.stop();
    rmSync(folder, { recursive: true });
  });

  const retry = async (
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> => {
    const task = readRetry([...args, '--kubeconfig', join(folder, 'consumer')], () => NOW);
    if (typeof task === 'string') throw new Error(task);
    let [out, err] = ['', ''];
    const code = await task({
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out, err };
  };
  const asked = async (
    resource: Resource,
    key: { readonly name: string; readonly namespace?: string },
  ): Promise<string | undefined> => (await client.get(resource, key)).metadata.annotations?.['hawser.dev/retry-at'];

  it('--dry-run prints what would be written, and writes nothing', async () => {
    expect(await retry('database', 'orders', '--dry-run')).toEqual({
      code: 0,
      out: `This would be written: kubectl annotate databases.example.com orders -n default --overwrite hawser.dev/retry-at=${AT}`,
      err: '',
    });
    expect(await asked(databases, { namespace: 'default', name: 'orders' })).toBeUndefined();
  });

  it('asks for one object, by any name of its kind', async () => {
    expect(await retry('databases.example.com', 'orders', '-n', 'default')).toEqual({
      code: 0,
      out: 'The konnector tries Database default/orders again now. What became of it: hawser why database orders -n default',
      err: '',
    });
    expect(await asked(databases, { namespace: 'default', name: 'orders' })).toBe(AT);
  });

  it('asks for all of a binding', async () => {
    expect(await retry('apiservicebinding', 'databases')).toMatchObject({
      code: 0,
      out: expect.stringContaining('tries APIServiceBinding databases again now'),
    });
    expect(await asked(resources.apiServiceBindings, { name: 'databases' })).toBe(AT);
  });

  it('asks for all of a Connection, ClusterBinding or Binding, and for objects of their APIs', async () => {
    await installCoreKbind(client, { clock: systemClock });
    const apiVersion = 'core.kbind.io/v1alpha1';
    await client.create(coreKbind.connections, {
      apiVersion,
      kind: 'Connection',
      metadata: { name: 'demo' },
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' } },
    } as KubeObject);
    const spec = { connectionRef: { name: 'demo' }, apis: [{ name: 'lakes.example.com' }] };
    await client.create(coreKbind.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'lakes' },
      spec,
    } as KubeObject);
    const ours = { namespace: 'default', name: 'ours' };
    await client.create(coreKbind.bindings, { apiVersion, kind: 'Binding', metadata: ours, spec } as KubeObject);
    const crd = crdOf('lakes', 'Lake', []);
    const marks = {
      labels: { 'core.kbind.io/managed': 'true' },
      annotations: { 'core.kbind.io/connection': 'demo' },
    };
    await client.create(resources.customResourceDefinitions, { ...crd, metadata: { ...crd.metadata, ...marks } });
    const lakes = { ...databases, resource: 'lakes' };
    const lake = { apiVersion: 'example.com/v1', kind: 'Lake', metadata: { name: 'one', namespace: 'default' } };
    await eventually(() => client.create(lakes, lake));

    expect(await retry('connection', 'demo')).toEqual({
      code: 0,
      out: 'The konnector tries Connection demo again now. What became of it: hawser why connection demo',
      err: '',
    });
    expect(await asked(coreKbind.connections, { name: 'demo' })).toBe(AT);
    // The word may mean several kinds: that counts of which there is one.
    expect(await retry('binding', 'lakes')).toMatchObject({
      code: 0,
      out: expect.stringContaining('hawser why clusterbinding lakes'),
    });
    expect(await asked(coreKbind.clusterBindings, { name: 'lakes' })).toBe(AT);
    expect(await retry('bindings', 'default/ours')).toMatchObject({
      code: 0,
      out: expect.stringContaining('tries Binding default/ours again now'),
    });
    expect(await retry('binding', 'ours', '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('bindings.core.kbind.io ours -n default'),
    });
    expect(await asked(coreKbind.bindings, ours)).toBe(AT);
    expect(await retry('lake', 'one')).toMatchObject({ code: 0, out: expect.stringContaining('Lake default/one') });
    expect(await retry('connection', 'missing')).toMatchObject({
      code: 1,
      err: 'There is no Connection missing on the consumer.',
    });
  });

  it('takes the namespace with the name, and an empty flag for that of the context', async () => {
    const succeeded = { code: 0, out: expect.stringContaining('Database default/orders again now') };
    expect(await retry('database', 'default/orders', '-n', 'team')).toMatchObject(succeeded);
    expect(await retry('database', 'orders', '--namespace=')).toMatchObject(succeeded);
    await expect(retry('database', '../orders')).rejects.toBeInstanceOf(ConfigError);
  });

  it('does not choose between bound APIs of one name', async () => {
    await expect(retry('volume', 'one')).rejects.toThrow(
      new ConfigError(
        'several bound APIs are called volume: volumes.example.com, volumes.other.com; name one of them so',
      ),
    );
    expect(await retry('volumes.other.com', 'one')).toMatchObject({
      code: 1,
      err: 'There is no Volume default/one on the consumer.',
    });
  });

  it('says what there is not', async () => {
    expect(await retry('database', 'missing')).toEqual({
      code: 1,
      out: '',
      err: 'There is no Database default/missing on the consumer.',
    });
    await expect(retry('table', 'orders')).rejects.toThrow(
      new ConfigError(
        'no bound API is called table; there are: databases.example.com, lakes.example.com, volumes.example.com, volumes.other.com',
      ),
    );
  });

  it('asks an agent for everything of a PublishedResource', async () => {
    await installSyncagentCRDs(client, { clock: systemClock });
    const published: PublishedResource = {
      apiVersion: 'syncagent.kcp.io/v1alpha1',
      kind: 'PublishedResource',
      metadata: { name: 'databases' },
      spec: { resource: { apiGroup: 'example.com', kind: 'Database' } },
    };
    await client.create(syncagentResources.publishedResources, published);
    const key = { name: 'databases' };
    expect(await retry('--roles', 'syncagent', 'publishedresource', 'databases', '--dry-run')).toEqual({
      code: 0,
      out: `This would be written: kubectl annotate publishedresources.syncagent.kcp.io databases --overwrite hawser.dev/retry-at=${AT}`,
      err: '',
    });
    expect(await asked(syncagentResources.publishedResources, key)).toBeUndefined();
    expect(await retry('--roles=syncagent', 'publishedresources', 'databases')).toMatchObject({
      code: 0,
      out: expect.stringContaining('The agent tries PublishedResource databases again now.'),
    });
    expect(await asked(syncagentResources.publishedResources, key)).toBe(AT);
    expect(await retry('--roles=syncagent', 'publishedresource', 'missing')).toMatchObject({
      code: 1,
      err: 'There is no PublishedResource missing on the service cluster.',
    });
    await expect(retry('--roles=syncagent', 'database', 'orders')).rejects.toThrow(
      'for an object set the annotation hawser.dev/retry-at in its workspace',
    );
  });

  it.each([
    [[], 'retry needs KIND and NAME; see hawser retry --help'],
    [['database'], 'retry needs KIND and NAME; see hawser retry --help'],
    [['database', 'a', 'b'], 'unexpected argument: b'],
  ])('%j is wrong usage', (args, message) => {
    expect(() => readRetry(args)).toThrow(new ConfigError(message));
  });
});
