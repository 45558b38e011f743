import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { getIfExists, type UnstructuredObject } from '@hawser/client';
import { eventually, settled } from '@hawser/testenv';

import { CLEANUP_FINALIZER } from './marks.js';
import type { Sync } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, openInstallation, secrets } from './testing/installation.js';
import { type LaggingKcp, openLaggingKcp } from './testing/lagging-kcp.js';

const PATIENT = { timeoutMs: 60_000 };

/** Secrets with the value of `spec.selects` in their label `of`. */
const selecting = byReference('selected', 'kcp', 'selects', {
  async resolve({ kcp, service }, readers) {
    const of = (kcp['spec'] as { readonly selects?: string }).selects;
    if (of === undefined) return [];
    const { namespace } = kcp.metadata;
    const found = await readers.list(secrets, {
      namespace,
      labelSelector: `of=${of}`,
      matches: (labels) => labels['of'] === of,
    });
    return found.map((object) => ({
      origin: { namespace, name: object.metadata.name, object },
      destination: { namespace: service.metadata.namespace, name: object.metadata.name },
    }));
  },
});

describe('after kcp was restored from a backup, while its caches lag behind', () => {
  let installation: Installation;
  let a: Workspace;
  let kcp: LaggingKcp;
  let sync: Sync;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    kcp = openLaggingKcp(installation.kcp);
    const related = [
      byReference('credentials', 'service', 'secret', { cleanup: true }),
      byReference('settings', 'kcp', 'settings'),
      selecting,
    ];
    sync = await installation.startSync({ rules: { ...installation.rules, related } });
  });
  afterEach(() => installation.close());

  const one = { namespace: 'default', name: 'one' };
  const databases = (): typeof secrets => installation.kinds.kcp.resource;
  const copies = (): string => `copies-${a.cluster}`;
  const secret = (namespace: string, name: string): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: { of: 'b25l' },
  });
  const copyOfSecret = (name: string): Promise<UnstructuredObject | undefined> =>
    getIfExists(installation.service, secrets, { namespace: copies(), name });
  const inStep = (spec: object): Promise<void> =>
    eventually(async () => {
      expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject(spec);
      expect(sync.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    }, PATIENT);
  const create = async (spec: object): Promise<void> => {
    await a.client.create(databases(), installation.object('one', spec));
    await inStep(spec);
  };
  /** All requests that follow, once the agent has read the object. */
  const looked = async (): Promise<readonly string[]> => {
    kcp.requests.length = 0;
    kcp.refuses = () => false;
    await eventually(() => {
      expect(kcp.requests).toContain('get manageddatabases one');
    }, PATIENT);
    return settled(() => Promise.resolve(kcp.requests));
  };

  it('keeps what belongs to an object whose deletion the backup has undone', async () => {
    await create({ size: 'small', secret: 'access' });
    await installation.service.create(secrets, secret(copies(), 'access'));
    const key = { namespace: 'default', name: 'access' };
    const made = await eventually(async () => (await a.get(key, secrets)) ?? false, PATIENT);
    const copy = await installation.copyOf(a, 'one');
    await inStep({ size: 'small' });
    const backup = kcp.backup();
    kcp.refuses = () => true;
    kcp.requests.length = 0;
    await a.client.delete(databases(), one);
    await eventually(() => {
      expect(kcp.requests.length).toBeGreaterThan(0);
    }, PATIENT);
    await kcp.restore(backup);
    expect((await looked()).filter((request) => request.startsWith('delete'))).toEqual([]);
    kcp.see();
    await inStep({ size: 'small' });
    expect((await a.get(key, secrets))?.metadata.uid).toBe(made.metadata.uid);
    expect((await installation.copyOf(a, 'one'))?.metadata.uid).toBe(copy?.metadata.uid);
    expect((await a.get(one))?.metadata.finalizers).toEqual([CLEANUP_FINALIZER]);
  }, 120_000);

  it('keeps the copy of a related object to which the object refers again', async () => {
    await a.client.create(secrets, secret('default', 'first'));
    await a.client.create(secrets, secret('default', 'second'));
    await create({ size: 'small', settings: 'first' });
    const copy = await eventually(async () => (await copyOfSecret('first')) ?? false, PATIENT);
    await inStep({ size: 'small' });
    const backup = kcp.backup();
    installation
      .server()
      .setFaults(({ method }, { resource }) =>
        method !== 'GET' && resource === 'databases' ? { instead: { status: 500, headers: {}, body: '' } } : undefined,
      );
    await a.client.patch(databases(), one, { type: 'merge', patch: { spec: { settings: 'second' } } });
    await eventually(() => {
      expect(sync.plan(`${a.cluster}|default/one`).actions.map(({ type }) => type)).toContain('patch');
    }, PATIENT);
    await kcp.restore(backup);
    kcp.requests.length = 0;
    const deleted: string[] = [];
    installation.server().setFaults(({ method, path }, { resource }) => {
      if (method === 'DELETE' && resource === 'secrets') deleted.push(path);
      return undefined;
    });
    await eventually(() => {
      expect([...deleted, ...kcp.requests]).toContain('get manageddatabases one');
    }, PATIENT);
    await settled(() => Promise.resolve(deleted));
    expect(deleted).toEqual([]);
    kcp.see();
    await inStep({ size: 'small', settings: 'first' });
    expect((await copyOfSecret('first'))?.metadata.uid).toBe(copy.metadata.uid);
    expect((await a.get({ namespace: 'default', name: 'first' }, secrets))?.metadata.finalizers).toEqual([
      CLEANUP_FINALIZER,
    ]);
  }, 120_000);

  it('keeps the copy of a related object that is selected again', async () => {
    const labelled = secret('default', 'first');
    await a.client.create(secrets, { ...labelled, metadata: { ...labelled.metadata, labels: { of: 'one' } } });
    await create({ size: 'small', selects: 'one' });
    const copy = await eventually(async () => (await copyOfSecret('first')) ?? false, PATIENT);
    await inStep({ size: 'small' });
    const backup = kcp.backup();
    const deleted: string[] = [];
    let isRefused = true;
    installation.server().setFaults(({ method, path }, { resource }) => {
      if (method !== 'DELETE' || resource !== 'secrets') return undefined;
      deleted.push(path);
      return isRefused ? { instead: { status: 500, headers: {}, body: '' } } : undefined;
    });
    const first = { namespace: 'default', name: 'first' };
    await a.client.patch(secrets, first, { type: 'merge', patch: { metadata: { labels: { of: 'two' } } } });
    await eventually(() => {
      expect(deleted.length).toBeGreaterThan(0);
    }, PATIENT);
    await kcp.restore(backup);
    kcp.requests.length = 0;
    deleted.length = 0;
    isRefused = false;
    await eventually(() => {
      expect([...deleted, ...kcp.requests]).toContain('get secrets first');
    }, PATIENT);
    await settled(() => Promise.resolve(deleted));
    expect(deleted).toEqual([]);
    kcp.see();
    await inStep({ size: 'small' });
    expect((await copyOfSecret('first'))?.metadata.uid).toBe(copy.metadata.uid);
    expect((await a.get(first, secrets))?.metadata.finalizers).toEqual([CLEANUP_FINALIZER]);
  }, 120_000);

  it('brings a related object in a workspace up to date again', async () => {
    await create({ size: 'small', secret: 'access' });
    await installation.service.create(secrets, secret(copies(), 'access'));
    const contentIs = (of: string): Promise<void> =>
      eventually(async () => {
        expect(await a.get({ namespace: 'default', name: 'access' }, secrets)).toMatchObject({ data: { of } });
      }, PATIENT);
    await contentIs('b25l');
    const backup = kcp.backup();
    await installation.service.patch(
      secrets,
      { namespace: copies(), name: 'access' },
      { type: 'merge', patch: { data: { of: 'dHdv' } } },
    );
    await contentIs('dHdv');
    await inStep({ size: 'small' });
    await kcp.restore(backup);
    await contentIs('b25l');
    kcp.see();
    await contentIs('dHdv');
  }, 120_000);

  it('makes the copy again of an object that was released, and is back', async () => {
    await create({ size: 'small' });
    const backup = kcp.backup();
    kcp.refuses = ({ verb }) => verb === 'patch';
    await a.client.delete(databases(), one);
    await eventually(async () => {
      expect(await installation.copyOf(a, 'one')).toBeUndefined();
      expect(kcp.requests).toContain('patch manageddatabases one');
    }, PATIENT);
    await kcp.blind();
    kcp.refuses = () => false;
    await eventually(async () => {
      expect(await a.get(one)).toBeUndefined();
    }, PATIENT);
    await settled(() => Promise.resolve(kcp.requests));
    await kcp.restore(backup);
    kcp.see();
    await inStep({ size: 'small' });
  }, 120_000);
});
