import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ApiServer, createApiServer, type Listener, listen } from '@hawser/apiserver';
import { type Client, createClient, type KubeObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { annotations, installCRDs, labels, resources } from '@hawser/core-kbind';
import { databases, sampleCrd } from '@hawser/installation';
import { resources as kubeResources } from '@hawser/kube-bind';
import { kubeconfigText } from '@hawser/testenv';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { readSupportBundle } from './support-bundle.js';

const planted = { secret: 'PlantedInSecret-1a', note: 'PlantedInAnnotation-2b', field: 'PlantedInField-3c' };
const apiVersion = 'core.kbind.io/v1alpha1';
const API = 'databases.example.com';

// Of a consumer on which hawser-kbind runs alone: nothing of kube-bind.io is there.
describe('hawser support-bundle of core.kbind.io', () => {
  let folder: string;
  let server: ApiServer;
  let listener: Listener;
  let client: Client;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-bundle-'));
    server = createApiServer({ adminToken: 'admin' });
    listener = await listen(server);
    const connection = {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token', token: 'admin' },
    } as const;
    client = createClient({ name: 'consumer', connection });
    writeFileSync(join(folder, 'consumer'), kubeconfigText('consumer', connection));
    await installCRDs(client, { clock: systemClock });
    for (const name of ['kbind', 'team'])
      await client.create(kubeResources.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client.create(kubeResources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kbind', name: 'demo' },
      data: { kubeconfig: Buffer.from(planted.secret).toString('base64') },
    } as KubeObject);
    const crd = sampleCrd(databases);
    await client.create(kubeResources.customResourceDefinitions, {
      ...crd,
      metadata: {
        name: crd.metadata.name,
        labels: { [labels.managed]: 'true' },
        annotations: { [annotations.connection]: 'demo', 'example.com/note': planted.note },
      },
    });
    await client.create(resources.connections, {
      apiVersion,
      kind: 'Connection',
      metadata: { name: 'demo' },
      spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' }, schema: { pullPolicy: 'Bound' } },
    } as KubeObject);
    const status = {
      remoteClusterUID: 'remote',
      exportedAPIs: [{ name: API, group: 'example.com', resource: 'databases', scope: 'Namespaced', versions: ['v1'] }],
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Pending',
          message: `refused: Bearer ${planted.field}`,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    };
    await client.patch(
      resources.connections,
      { name: 'demo' },
      { type: 'merge', patch: { status } },
      { subresource: 'status' },
    );
    const spec = {
      connectionRef: { name: 'demo' },
      apis: [{ name: API }],
      relatedResources: [
        {
          group: '',
          resource: 'secrets',
          direction: 'FromProvider',
          selector: { labelSelector: { matchLabels: { app: 'database' } }, names: ['credentials'] },
        },
      ],
    };
    const metadata = { annotations: { [annotations.objectSelector]: 'tier=gold', 'example.com/note': planted.note } };
    await client.create(resources.clusterBindings, {
      apiVersion,
      kind: 'ClusterBinding',
      metadata: { name: 'all', ...metadata },
      spec,
    } as KubeObject);
    await client.create(resources.bindings, {
      apiVersion,
      kind: 'Binding',
      metadata: { name: 'ours', namespace: 'team' },
      spec,
    } as KubeObject);
    await client.create(kubeResources.events, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'one', namespace: 'default' },
      involvedObject: { apiVersion, kind: 'Connection', name: 'demo' },
      type: 'Warning',
      reason: 'KubeconfigRefused',
      message: 'It was refused.',
    } as KubeObject);
    for (const [namespace, name] of [
      ['kbind', 'consumer-local'],
      ['kbind', 'konnector.kbind.io'],
    ] as const)
      await client.create(kubeResources.leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace, name },
        spec: { holderIdentity: 'konnector-1' },
      } as KubeObject);
  });
  afterAll(async () => {
    await client.close();
    await listener.close();
    server.stop();
    rmSync(folder, { recursive: true });
  });

  it('holds its kinds, CRDs, Events, Leases and what doctor finds, and nothing that is secret', async () => {
    const output = join(folder, 'bundle');
    const task = readSupportBundle(['--kubeconfig', join(folder, 'consumer'), '-o', output], 'v1');
    if (typeof task === 'string') throw new Error(task);
    const printed: string[] = [];
    const print = (line: string): void => {
      printed.push(line);
    };
    const code = await task({
      out: print,
      err: print,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    expect({ code, printed }).toMatchObject({ code: 0 });
    const file = (name: string): string => readFileSync(join(output, 'consumer', name), 'utf8');
    expect(JSON.parse(file('connections.core.kbind.io.json'))).toMatchObject([
      {
        metadata: { name: 'demo' },
        spec: { kubeconfigSecretRef: { namespace: 'kbind', name: 'demo' }, schema: { pullPolicy: 'Bound' } },
        status: { remoteClusterUID: 'remote', exportedAPIs: [{ name: API, scope: 'Namespaced' }] },
      },
    ]);
    expect(JSON.parse(file('clusterbindings.core.kbind.io.json'))).toMatchObject([
      {
        metadata: { name: 'all', annotations: { [annotations.objectSelector]: 'tier=gold' } },
        spec: {
          connectionRef: { name: 'demo' },
          apis: [{ name: API }],
          relatedResources: [{ direction: 'FromProvider', selector: { names: ['credentials'] } }],
        },
      },
    ]);
    expect(file('bindings.core.kbind.io.json')).toContain('"team"');
    expect(file(`crds/${API}.json`)).toContain('"core.kbind.io/connection": "demo"');
    expect(file('events.json')).toContain('KubeconfigRefused');
    expect(JSON.parse(file('leases.json'))).toMatchObject([
      { metadata: { name: 'consumer-local' } },
      { metadata: { name: 'konnector.kbind.io' } },
    ]);
    expect(file('konnector/doctor.txt')).toContain('Connection demo');
    expect(file('konnector/objects.json')).toContain('"Binding"');
    const all = [
      'connections.core.kbind.io.json',
      'clusterbindings.core.kbind.io.json',
      `crds/${API}.json`,
      'konnector/doctor.txt',
      'konnector/objects.json',
    ]
      .map(file)
      .join('\n');
    for (const secret of Object.values(planted)) expect(all).not.toContain(secret);
  });
});
