import { readFileSync } from 'node:fs';

import type { UnstructuredObject, WatchEvent } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

import { BareClient, pathOf } from './bare-client.js';
import { type DialectName, dialectOf } from './dialect.js';
import { referenceResource as resource } from './sample.js';

// The reference: only the writes of the contract, 32 at a time, with no safety at all. No conflicts, no ownership, no restarts, no proofs, no retries.
//
//   finalizer → create → annotations; status back; change → merge patch; deletion → delete, then the finalizer.

interface Setup {
  readonly consumer: ConnectionConfig;
  readonly provider: ConnectionConfig;
  readonly dialect: DialectName;
  readonly clusterNamespace: string;
  readonly clusterUID: string;
  readonly consumerNamespace: string;
  readonly providerNamespace: string;
}

const setup = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Setup;
const dialect = dialectOf(setup.dialect);
const FINALIZER = dialect.finalizer;
const WIDTH = 32;

const consumer = new BareClient(setup.consumer, WIDTH, 'bare-loop');
const provider = new BareClient(setup.provider, WIDTH, 'bare-loop');

const consumers = new Map<string, UnstructuredObject>();
const copies = new Map<string, UnstructuredObject>();
const dirty = new Set<string>();
const running = new Set<string>();
/** Copied objects, with the annotations still to write: after everything that another side waits for. */
const unnoted = new Map<string, Readonly<Record<string, string>>>();
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
    run(name, step(name));
  }
  for (const [name, annotations] of unnoted) {
    if (running.size >= WIDTH) return;
    if (running.has(name)) continue;
    unnoted.delete(name);
    run(name, note(name, annotations));
  }
}

function run(name: string, work: Promise<void>): void {
  running.add(name);
  void work
    .catch((error: unknown) => {
      process.stderr.write(`${name}: ${String(error)}\n`);
    })
    .finally(() => {
      running.delete(name);
      pump();
    });
}

async function step(name: string): Promise<void> {
  let object = consumers.get(name);
  const copy = copies.get(name);
  if (object === undefined) return;
  const path = pathOf(resource, { namespace: setup.consumerNamespace, name });
  const copyPath = pathOf(resource, { namespace: setup.providerNamespace, name });
  if (object.metadata.deletionTimestamp !== undefined) {
    if (object.metadata.finalizers?.includes(FINALIZER) !== true) return;
    if (copy !== undefined) await provider.delete(copyPath);
    copies.delete(name);
    consumers.delete(name);
    await consumer.patch(path, { metadata: { finalizers: null } });
    return;
  }
  if (copy === undefined) {
    const patched = await consumer.patch(path, { metadata: { finalizers: [FINALIZER] } });
    object = take(consumers, { ...object, metadata: patched.metadata });
    const created = await provider.create(pathOf(resource, { namespace: setup.providerNamespace }), {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: {
        name,
        namespace: setup.providerNamespace,
        ...dialect.marksOfCopy(object, setup),
      },
      spec: object['spec'],
    });
    take(copies, { ...object, metadata: created.metadata });
    const note = dialect.noteOf(created);
    if (note !== undefined) unnoted.set(name, note);
    return;
  }
  if (JSON.stringify(object['spec']) !== JSON.stringify(copy['spec'])) {
    const patched = await provider.patch(copyPath, { spec: object['spec'] });
    take(copies, { ...copy, spec: object['spec'], metadata: patched.metadata });
    return;
  }
  if (JSON.stringify(object['status']) !== JSON.stringify(copy['status'])) {
    const { uid, resourceVersion } = object.metadata;
    const written = await consumer.update(`${path}/status`, {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { namespace: setup.consumerNamespace, name, uid, resourceVersion },
      status: copy['status'],
    });
    take(consumers, { ...object, status: copy['status'], metadata: written.metadata });
  }
}

async function note(name: string, annotations: Readonly<Record<string, string>>): Promise<void> {
  const path = pathOf(resource, { namespace: setup.consumerNamespace, name });
  const { metadata } = await consumer.patch(path, { metadata: { annotations } });
  const object = consumers.get(name);
  if (object !== undefined) take(consumers, { ...object, metadata });
}

function take(cache: Map<string, UnstructuredObject>, object: UnstructuredObject): UnstructuredObject {
  cache.set(object.metadata.name, object);
  return object;
}

async function follow(client: BareClient, namespace: string, cache: Map<string, UnstructuredObject>): Promise<void> {
  const path = pathOf(resource, { namespace });
  const list = await client.list(path);
  for (const object of list.items) cache.set(object.metadata.name, object);
  for (const object of list.items) push(object.metadata.name);
  if (++filled === 2) process.stdout.write('ready\n');
  let seen = list.metadata.resourceVersion;
  for (;;) {
    // A busy server ends watches that fall behind: resume where it ended.
    for await (const event of client.watch(`${path}?watch=true&resourceVersion=${seen}`)) {
      seen = event.object.metadata.resourceVersion ?? seen;
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
  follow(consumer, setup.consumerNamespace, consumers),
  follow(provider, setup.providerNamespace, copies),
]);
