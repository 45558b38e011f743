import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import { annotations as agentAnnotations, cleanupFinalizer, labels as agentLabels } from '@hawser/syncagent-api';

import { BareClient, pathOf } from '../bare-client.js';
import type { BareAgentSetup } from './bare-agent-setup.js';

// The reference: only the writes of the contract, 32 at a time, with no safety at all. No conflicts, no ownership, no restarts, no proofs, no retries.
//
//   finalizer → copy → state Secret; status back; change → merge patch, state Secret; deletion → copy, state Secret, finalizer.

const {
  service: serviceConnection,
  kcp: kcpConnection,
  virtualWorkspace,
  namespace: stateNamespace,
  resource,
} = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as BareAgentSetup;
const WIDTH = 32;
const secrets: Resource = { group: '', version: 'v1', resource: 'secrets' };
const namespaces: Resource = { group: '', version: 'v1', resource: 'namespaces' };

const service = new BareClient(serviceConnection, WIDTH, 'bare-agent');
const kcp = new BareClient(kcpConnection, WIDTH, 'bare-agent');

/** Objects in kcp and their copies, by `cluster/name`. */
const sources = new Map<string, UnstructuredObject>();
const copies = new Map<string, UnstructuredObject>();
const pushed = new Map<string, string>();
const secretVersions = new Map<string, string | undefined>();
const present = new Map<string, Promise<unknown>>();
const dirty = new Set<string>();
const running = new Set<string>();
let filled = 0;

function push(key: string): void {
  dirty.add(key);
  pump();
}

function pump(): void {
  for (const key of dirty) {
    if (running.size >= WIDTH) return;
    if (running.has(key)) continue;
    dirty.delete(key);
    running.add(key);
    void step(key)
      .catch((error: unknown) => {
        process.stderr.write(`${key}: ${String(error)}\n`);
      })
      .finally(() => {
        running.delete(key);
        pump();
      });
  }
}

async function step(key: string): Promise<void> {
  const object = sources.get(key);
  const copy = copies.get(key);
  if (object === undefined) return;
  const { cluster, name } = parts(key);
  const path = inWorkspace(cluster, { namespace: 'default', name });
  const copyAt = { namespace: cluster, name: hash(key) };
  const copyPath = pathOf(resource, copyAt);
  const state = { namespace: stateNamespace, name: `bare-${hash(key)}` };
  if (object.metadata.deletionTimestamp !== undefined) {
    if (object.metadata.finalizers?.includes(cleanupFinalizer) !== true) return;
    if (copy !== undefined) await service.delete(copyPath);
    copies.delete(key);
    sources.delete(key);
    await service.delete(pathOf(secrets, state));
    await kcp.patch(path, { metadata: { finalizers: null } });
    return;
  }
  const spec = JSON.stringify(object['spec']);
  const secret = (): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { ...state, ...version(secretVersions.get(key)), labels: { bench: 'bare' } },
    data: { state: Buffer.from(spec).toString('base64') },
  });
  if (copy === undefined) {
    const patched = await kcp.patch(path, { metadata: { finalizers: [cleanupFinalizer] } });
    take(sources, key, { ...object, metadata: patched.metadata });
    await made(cluster);
    const created = await service.create(pathOf(resource, { namespace: cluster }), {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: {
        ...copyAt,
        annotations: { [agentAnnotations.remoteName]: name, [agentAnnotations.remoteNamespace]: 'default' },
        labels: {
          ...object.metadata.labels,
          [agentLabels.remoteCluster]: cluster,
          [agentLabels.remoteNameHash]: hash(name),
          [agentLabels.remoteNamespaceHash]: hash('default'),
          [agentLabels.agentName]: 'bare',
        },
      },
      spec: object['spec'],
    });
    take(copies, key, { ...object, metadata: created.metadata, status: undefined });
    pushed.set(key, spec);
    const stored = await service.create(pathOf(secrets, { namespace: stateNamespace }), secret());
    secretVersions.set(key, stored.metadata.resourceVersion);
    return;
  }
  if (spec !== (pushed.get(key) ?? JSON.stringify(copy['spec']))) {
    const patched = await service.patch(copyPath, { spec: object['spec'] });
    take(copies, key, { ...copy, spec: object['spec'], metadata: patched.metadata });
    pushed.set(key, spec);
    const stored = await service.update(pathOf(secrets, state), secret());
    secretVersions.set(key, stored.metadata.resourceVersion);
    return;
  }
  if (JSON.stringify(object['status']) !== JSON.stringify(copy['status'])) {
    const { uid, resourceVersion } = object.metadata;
    const written = await kcp.update(`${path}/status`, {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { namespace: 'default', name, uid, resourceVersion },
      status: copy['status'],
    });
    take(sources, key, { ...object, status: copy['status'], metadata: written.metadata });
  }
}

function inWorkspace(cluster: string, key?: ObjectKey): string {
  return `${virtualWorkspace}/clusters/${cluster}${pathOf(resource, key)}`;
}

/** Unless the watch was faster and already showed a later version. */
function take(cache: Map<string, UnstructuredObject>, key: string, object: UnstructuredObject): void {
  if (isNewer(object, cache.get(key))) cache.set(key, object);
}

function isNewer({ metadata }: UnstructuredObject, known: UnstructuredObject | undefined): boolean {
  return Number(metadata.resourceVersion) > Number(known?.metadata.resourceVersion ?? 0);
}

function made(namespace: string): Promise<unknown> {
  const known =
    present.get(namespace) ??
    service
      .create(pathOf(namespaces), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      .catch(() => undefined);
  present.set(namespace, known);
  return known;
}

function version(resourceVersion: string | undefined): { readonly resourceVersion?: string } {
  return resourceVersion === undefined ? {} : { resourceVersion };
}

function hash(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

function parts(key: string): { readonly cluster: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { cluster: key.slice(0, slash), name: key.slice(slash + 1) };
}

async function follow(
  client: BareClient,
  path: string,
  labelSelector: string,
  cache: Map<string, UnstructuredObject>,
  keyOf: (object: UnstructuredObject) => string,
): Promise<void> {
  const selected = `${path}?labelSelector=${encodeURIComponent(labelSelector)}`;
  const list = await client.list(selected);
  for (const object of list.items) cache.set(keyOf(object), object);
  for (const key of cache.keys()) push(key);
  if (++filled === 2) process.stdout.write('ready\n');
  let seen = list.metadata.resourceVersion;
  for (;;) {
    // A busy server ends watches that fall behind: resume where it ended.
    for await (const { type, object } of client.watch(`${selected}&watch=true&resourceVersion=${seen}`)) {
      seen = object.metadata.resourceVersion ?? seen;
      if (type === 'BOOKMARK') continue;
      const key = keyOf(object);
      if (type === 'DELETED') cache.delete(key);
      else if (object.metadata.deletionTimestamp !== undefined && object.metadata.finalizers === undefined) continue;
      else if (isNewer(object, cache.get(key))) cache.set(key, object);
      else continue;
      push(key);
    }
  }
}

await Promise.all([
  follow(
    kcp,
    inWorkspace('*'),
    '',
    sources,
    ({ metadata }) => `${metadata.annotations?.['kcp.io/cluster'] ?? ''}/${metadata.name}`,
  ),
  follow(
    service,
    pathOf(resource),
    agentLabels.remoteNameHash,
    copies,
    ({ metadata }) =>
      `${metadata.labels?.[agentLabels.remoteCluster] ?? ''}/${metadata.annotations?.[agentAnnotations.remoteName] ?? ''}`,
  ),
]);
