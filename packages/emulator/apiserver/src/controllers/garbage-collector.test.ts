import { beforeEach, describe, expect, it } from '@jest/globals';
import { metaOf } from '../object/meta.js';
import type { JsonObject } from '@hawser/json';
import type { DeleteOptions } from '../parts.js';
import { MemoryHost } from '../testing/memory-host.js';
import { GarbageCollector } from './garbage-collector.js';
import { configMaps as maps, namespaces } from './resources.js';

describe('garbage collector', () => {
  let host: MemoryHost;
  let collector: GarbageCollector;

  beforeEach(() => {
    host = new MemoryHost();
    collector = new GarbageCollector(host);
    collector.start();
  });

  function create(name: string, owners: readonly JsonObject[] = [], metadata: JsonObject = {}): JsonObject {
    return host.create(maps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'n', ...metadata, ...(owners.length === 0 ? {} : { ownerReferences: owners }) },
    });
  }

  const ownedBy = (owner: JsonObject, more: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: metaOf(owner).name ?? '',
    uid: metaOf(owner).uid ?? '',
    ...more,
  });
  const names = (): string[] => host.list(maps).map((object) => metaOf(object).name ?? '');
  const get = (name: string): JsonObject | undefined => host.get(maps, { namespace: 'n', name });
  const remove = (name: string, options?: DeleteOptions): unknown =>
    host.delete(maps, { namespace: 'n', name }, options);

  it('deletes what was owned, and what that owned, after the owner has gone', async () => {
    const owner = create('owner');
    const child = create('child', [ownedBy(owner)]);
    create('grandchild', [ownedBy(child)]);
    create('other');
    await host.settle();
    expect(names()).toEqual(['child', 'grandchild', 'other', 'owner']);
    remove('owner');
    await host.settle();
    expect(names()).toEqual(['other']);
    expect(host.reported).toEqual([]);
  });

  it('deletes what is created with an owner that is not there, or is another one of the same name', async () => {
    create('owner');
    create('stray', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'of-an-earlier-one' }]);
    create('lost', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nobody' }]);
    await host.settle();
    expect(names()).toEqual(['owner']);
  });

  it('keeps what another owner still owns, without the reference to the one that has gone', async () => {
    const first = create('first');
    const second = create('second');
    create('child', [ownedBy(first), ownedBy(second)]);
    remove('first');
    await host.settle();
    expect(metaOf(get('child') ?? {}).ownerReferences).toEqual([ownedBy(second)]);
  });

  it('leaves alone what is owned by a kind that is not known, until it is', async () => {
    create('child', [{ apiVersion: 'example.com/v1', kind: 'Thing', name: 'thing', uid: 'thing' }]);
    await host.settle();
    expect(names()).toEqual(['child']);
    host.addKind('example.com', 'Thing');
    await host.settle();
    expect(names()).toEqual([]);
  });

  it('deletes what an owner leaves whose kind goes with it', async () => {
    const things = host.addKind('example.com', 'Thing');
    const owner = host.create(things, {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'thing', namespace: 'n' },
    });
    create('child', [ownedBy(owner, { apiVersion: 'example.com/v1', kind: 'Thing' })]);
    await host.settle();
    host.delete(things, { namespace: 'n', name: 'thing' });
    host.removeKind(things);
    await host.settle();
    expect(names()).toEqual([]);
  });

  it('does not follow an owner into another namespace', async () => {
    const owner = create('owner');
    host.create(maps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'child', namespace: 'elsewhere', ownerReferences: [ownedBy(owner)] },
    });
    await host.settle();
    expect(names()).toEqual(['owner']);
  });

  it('leaves a cluster-scoped object that names a namespaced owner alone', async () => {
    host.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'odd', ownerReferences: [ownedBy(create('owner'))] },
    });
    remove('owner');
    await host.settle();
    expect(host.get(namespaces, { namespace: '', name: 'odd' })).toBeDefined();
  });

  it('deletes dependents that block before an owner that is deleted in the foreground', async () => {
    const owner = create('owner');
    create('blocking', [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ['example.com/wait'] });
    create('free', [ownedBy(owner)]);
    remove('owner', { propagationPolicy: 'Foreground' });
    await host.settle();
    expect(names()).toEqual(['blocking', 'owner']);
    const blocking = get('blocking') ?? {};
    expect(metaOf(blocking).deletionTimestamp).toBeDefined();
    host.update(maps, { ...blocking, metadata: { ...metaOf(blocking), finalizers: [] } });
    await host.settle();
    expect(names()).toEqual([]);
  });

  it('goes down a tree in the foreground', async () => {
    const owner = create('owner');
    const child = create('child', [ownedBy(owner, { blockOwnerDeletion: true })]);
    create('grandchild', [ownedBy(child, { blockOwnerDeletion: true })], { finalizers: ['example.com/wait'] });
    remove('owner', { propagationPolicy: 'Foreground' });
    await host.settle();
    expect(names()).toEqual(['child', 'grandchild', 'owner']);
    expect(metaOf(get('child') ?? {}).finalizers).toEqual(['foregroundDeletion']);
  });

  it('gets out of a circle in the foreground', async () => {
    const first = create('first', [], { uid: 'one' });
    const second = create('second', [ownedBy(first, { blockOwnerDeletion: true })]);
    host.update(maps, {
      ...first,
      metadata: { ...metaOf(first), ownerReferences: [ownedBy(second, { blockOwnerDeletion: true })] },
    });
    remove('first', { propagationPolicy: 'Foreground' });
    await host.settle();
    expect(names()).toEqual([]);
  });

  it('lets an owner go when a dependent no longer blocks it', async () => {
    const owner = create('owner');
    const child = create('child', [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ['example.com/wait'] });
    remove('owner', { propagationPolicy: 'Foreground' });
    await host.settle();
    const current = get('child') ?? child;
    host.update(maps, { ...current, metadata: { ...metaOf(current), ownerReferences: [] } });
    await host.settle();
    expect(names()).toEqual(['child']);
  });

  it('orphans dependents: they stay, without the reference', async () => {
    const owner = create('owner');
    create('child', [ownedBy(owner)]);
    remove('owner', { propagationPolicy: 'Orphan' });
    await host.settle();
    expect(names()).toEqual(['child']);
    expect(metaOf(get('child') ?? {}).ownerReferences).toBeUndefined();
  });

  it('takes up at the start what was left undone, and leaves no timer behind', async () => {
    collector.stop();
    const owner = create('owner');
    create('child', [ownedBy(owner)]);
    remove('owner');
    await host.settle();
    expect(names()).toEqual(['child']);
    collector.start();
    await host.settle();
    expect(names()).toEqual([]);
    collector.stop();
    expect(host.clock.pendingTimers).toBe(0);
  });
});
