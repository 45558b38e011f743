import { readFileSync } from 'node:fs';

import {
  type Client,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
  type WatchEvent,
  createClient,
} from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { referenceResource as resource } from './sample.js';

// The reference: only the writes of the contract, 32 at a time, with no safety at all. No conflicts, no ownership, no restarts, no proofs, no retries.
//
//   finalizer → create → annotations; status back; change → merge patch; deletion → delete, then the finalizer.

interface Setup {
  readonly consumer: ConnectionConfig;
  readonly provider: ConnectionConfig;
  readonly clusterNamespace: string;
  readonly consumerNamespace: string;
  readonly providerNamespace: string;
}

const setup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Setup;
const FINALIZER = 'kubebind.io/syncer';
const WIDTH = 32;

const open = (name: string, connection: ConnectionConfig): Client =>
  createClient({ name, connection, concurrency: WIDTH, userAgent: 'bare-loop' });
const consumer = open('consumer', setup.consumer);
const provider = open('provider', setup.provider);

const consumers = new Map<string, UnstructuredObject>();
const copies = new Map<string, UnstructuredObject>();
const dirty = new Set<string>();
const running = new Set<string>();
let filled = 0;

function push(name: string): void {
  dirty.add(name);
  pump();
}

function pump(): void {
  for (const name of dirty) {
    if (running.size >= WIDTH) return;
    if (running.has(name)) continue;
    dirty.delete(name);
    running.add(name);
    void step(name)
      .catch((error: unknown) => {
        process.stderr.write(`${name}: ${String(error)}\n`);
      })
      .finally(() => {
        running.delete(name);
        pump();
      });
  }
}

async function step(name: string): Promise<void> {
  let object = consumers.get(name);
  const copy = copies.get(name);
  if (object === undefined) return;
  const key = { namespace: setup.consumerNamespace, name };
  const copyKey = { namespace: setup.providerNamespace, name };
  if (object.metadata.deletionTimestamp !== undefined) {
    if (object.metadata.finalizers?.includes(FINALIZER) !== true) return;
    if (copy !== undefined) await provider.delete(resource, copyKey);
    copies.delete(name);
    consumers.delete(name);
    await consumer.patch(
      resource,
      key,
      { type: 'merge', patch: { metadata: { finalizers: null } } },
      { representation: 'metadata' },
    );
    return;
  }
  if (copy === undefined) {
    const patched = await consumer.patch(
      resource,
      key,
      { type: 'merge', patch: { metadata: { finalizers: [FINALIZER] } } },
      { representation: 'metadata' },
    );
    object = take(consumers, { ...object, metadata: patched.metadata });
    const created = await provider.create(
      resource,
      {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: {
          name,
          namespace: setup.providerNamespace,
          labels: object.metadata.labels,
          annotations: {
            'kube-bind.io/cluster-namespace': setup.clusterNamespace,
            'kube-bind.io/consumer-namespace': setup.consumerNamespace,
            'kube-bind.io/consumer-uid': object.metadata.uid ?? '',
          },
        },
        spec: object['spec'],
      } as KubeObject,
      { representation: 'metadata' },
    );
    take(copies, { ...object, metadata: created.metadata });
    const annotated = await consumer.patch(
      resource,
      key,
      {
        type: 'merge',
        patch: {
          metadata: {
            annotations: {
              'kube-bind.io/provider-namespace': setup.providerNamespace,
              'kube-bind.io/provider-uid': created.metadata.uid ?? '',
            },
          },
        },
      },
      { representation: 'metadata' },
    );
    take(consumers, { ...object, metadata: annotated.metadata });
    return;
  }
  if (JSON.stringify(object['spec']) !== JSON.stringify(copy['spec'])) {
    take(copies, await provider.patch(resource, copyKey, { type: 'merge', patch: { spec: object['spec'] } }));
    return;
  }
  if (JSON.stringify(object['status']) !== JSON.stringify(copy['status'])) {
    const { uid, resourceVersion } = object.metadata;
    const written = await consumer.update(
      resource,
      {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { ...key, uid, resourceVersion },
        status: copy['status'],
      } as KubeObject,
      { subresource: 'status', representation: 'metadata' },
    );
    take(consumers, { ...object, status: copy['status'], metadata: written.metadata });
  }
}

function take(cache: Map<string, UnstructuredObject>, object: UnstructuredObject): UnstructuredObject {
  cache.set(object.metadata.name, object);
  return object;
}

async function follow(
  client: Client,
  of: Resource,
  namespace: string,
  cache: Map<string, UnstructuredObject>,
): Promise<void> {
  const list = await client.list(of, { namespace });
  for (const object of list.items) cache.set(object.metadata.name, object);
  for (const object of list.items) push(object.metadata.name);
  if (++filled === 2) process.stdout.write('ready\n');
  let seen = list.metadata.resourceVersion;
  for (;;) {
    // A busy server ends watches that it cannot serve fast enough: go on where it ended.
    for await (const event of await client.watch(of, { namespace, resourceVersion: seen })) {
      seen = event.object.metadata.resourceVersion;
      if (event.type !== 'BOOKMARK') notice(event);
    }
  }

  function notice(event: Exclude<WatchEvent<UnstructuredObject>, { readonly type: 'BOOKMARK' }>): void {
    const { name, resourceVersion } = event.object.metadata;
    if (event.type === 'DELETED') cache.delete(name);
    else if (event.object.metadata.deletionTimestamp !== undefined && event.object.metadata.finalizers === undefined)
      return;
    else if (Number(resourceVersion) > Number(cache.get(name)?.metadata.resourceVersion ?? 0))
      cache.set(name, event.object);
    else return;
    push(name);
  }
}

await Promise.all([
  follow(consumer, resource, setup.consumerNamespace, consumers),
  follow(provider, resource, setup.providerNamespace, copies),
]);
