import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type Client, type ObjectKey, type UnstructuredObject, getIfExists } from '@hawser/client';
import { eventually } from '@hawser/testenv';

import type { Sync } from './sync-options.js';
import { type Installation, type Workspace, openInstallation } from './testing/installation.js';

const controller = {
  ownerReferences: [
    { apiVersion: 'apps/v1', kind: 'Fleet', name: 'pg', uid: '5b1c1a52-1111-4c3f-9d2a-000000000001', controller: true },
  ],
};

describe('whose a copy is', () => {
  let installation: Installation;
  let a: Workspace;
  let sync: Sync;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    sync = await installation.startSync({ adoption: 'refuse' });
  });
  afterEach(async () => {
    await installation.close();
  });

  const database = (): Installation['kinds']['service']['resource'] => installation.kinds.service.resource;
  const inWorkspace = { namespace: 'default', name: 'one' };
  const copyKey = (): ObjectKey => ({ namespace: `copies-${a.cluster}`, name: 'default-one' });
  const child = (): ObjectKey => ({ namespace: `copies-${a.cluster}`, name: 'child' });
  const why = (): string => {
    const { verdict, problem } = sync.why(`${a.cluster}|default/one`);
    return verdict.kind === 'held' ? verdict.reason : (problem?.reason ?? verdict.kind);
  };
  const stands = (how: string): Promise<void> =>
    eventually(() => {
      expect(why()).toBe(how);
    });
  const size = async (key: ObjectKey): Promise<unknown> =>
    ((await getIfExists(installation.service, database(), key))?.['spec'] as { size?: string } | undefined)?.size;
  const create = async (): Promise<UnstructuredObject> => {
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { size: 'small' }));
    await stands('inStep');
    return installation.service.get(database(), copyKey());
  };
  const resize = (to: string): Promise<unknown> =>
    a.client.patch(installation.kinds.kcp.resource, inWorkspace, { type: 'merge', patch: { spec: { size: to } } });
  const remove = (): Promise<unknown> => a.client.delete(installation.kinds.kcp.resource, inWorkspace);
  const gone = (): Promise<void> =>
    eventually(async () => {
      expect(await a.get(inWorkspace)).toBeUndefined();
    });
  /** An object with the marks of the copy, as an operator or a person makes it. `marks`: which annotations of Hawser come along. */
  const like = async (
    { apiVersion, kind, metadata: { labels, annotations = {} }, spec }: UnstructuredObject,
    key: ObjectKey,
    more: object = {},
    marks = true,
  ): Promise<void> => {
    const inherited = Object.fromEntries(
      Object.entries(annotations).filter(([name]) => marks || !name.startsWith('hawser.dev/')),
    );
    const object = {
      apiVersion,
      kind,
      metadata: { ...key, labels, annotations: inherited, ...more },
      spec: { ...(spec as object), size: 'of it' },
    };
    await installation.service.create(database(), object, { fieldManager: 'fleet-operator' });
  };

  it.each([
    ["an operator's child, with a controller", controller, true],
    ["an operator's child, with a controller and the marks of a Go agent alone", controller, false],
    ["an operator's child, without a controller", {}, true],
    ["an operator's child, with nothing but the marks of a Go agent", {}, false],
  ])(
    '%s, is not a copy: the object is changed and deleted as ever, and the child stays',
    async (_title, more, marks) => {
      await like(await create(), child(), more, marks);
      await resize('large');
      await eventually(async () => {
        expect(await size(copyKey())).toBe('large');
      });
      await stands('inStep');
      expect(await size(child())).toBe('of it');
      // Without the copy it is not taken for it either.
      await installation.service.delete(database(), copyKey());
      await eventually(async () => {
        expect(await size(copyKey())).toBe('large');
      });
      await remove();
      await gone();
      expect([await size(copyKey()), await size(child())]).toEqual([undefined, 'of it']);
    },
  );

  it('what stands in the place of the copy, has its marks, and is controlled, is neither written nor deleted', async () => {
    const copy = await create();
    await installation.service.patch(database(), copyKey(), { type: 'merge', patch: { metadata: controller } });
    await resize('large');
    await stands('CopyControlled');
    expect(await size(copyKey())).toBe('small');
    await remove();
    await stands('CopyControlled');
    expect((await installation.service.get(database(), copyKey())).metadata).toMatchObject({ uid: copy.metadata.uid });
    await installation.service.patch(database(), copyKey(), {
      type: 'merge',
      patch: { metadata: { ownerReferences: null } },
    });
    await gone();
    expect(await size(copyKey())).toBeUndefined();
  });

  it.each(['is there', 'is being deleted'])(
    'what has the place of the copy holds up no end of the publication that keeps copies, while the object %s',
    async (how) => {
      await create();
      await installation.service.patch(database(), copyKey(), { type: 'merge', patch: { metadata: controller } });
      await stands('CopyControlled');
      if (how !== 'is there') await remove();
      sync.retire('keep');
      await eventually(async () => {
        expect((await a.get(inWorkspace))?.metadata.finalizers).toBeUndefined();
      });
      expect(sync.counts().held).toBe(0);
      expect(await size(copyKey())).toBe('small');
    },
  );

  it.each(['is there', 'is being deleted'])(
    'neither do two that both bear its marks, while the object %s',
    async (how) => {
      const copy = await create();
      const second: ObjectKey = { ...copyKey(), name: 'second' };
      await like(copy, second, {
        annotations: { ...copy.metadata.annotations, 'hawser.dev/place': `${second.namespace ?? ''}/${second.name}` },
      });
      await stands('TwoCopies');
      if (how !== 'is there') await remove();
      sync.retire('keep');
      await eventually(async () => {
        expect((await a.get(inWorkspace))?.metadata.finalizers).toBeUndefined();
      });
      expect(sync.counts().held).toBe(0);
      expect([await size(copyKey()), await size(second)]).toEqual(['small', 'of it']);
    },
  );

  it('a copy that bears the marks of a Go agent alone is taken over by its place, and bears ours with the next write', async () => {
    const {
      metadata: { labels = {}, annotations = {} },
    } = await create();
    await sync.stop();
    expect(annotations['hawser.dev/place']).toBe(`copies-${a.cluster}/default-one`);
    expect(labels['syncagent.kcp.io/agent-name']).toBe(installation.agentNamespace);
    await installation.service.patch(database(), copyKey(), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/place': null, 'hawser.dev/published-by': null } } },
    });
    const {
      metadata: { resourceVersion },
    } = await installation.service.get(database(), copyKey());
    sync = await installation.startSync({ adoption: 'refuse' });
    await stands('inStep');
    expect((await installation.service.get(database(), copyKey())).metadata.resourceVersion).toBe(resourceVersion);
    await resize('large');
    await eventually(async () => {
      expect((await installation.service.get(database(), copyKey())).metadata.annotations?.['hawser.dev/place']).toBe(
        `copies-${a.cluster}/default-one`,
      );
    });
    await remove();
    await gone();
  });

  it('it is not deleted where nothing shows that an agent wrote it, and that is told', async () => {
    const copy = await create();
    await sync.stop();
    await installation.service.delete(database(), copyKey());
    await like(copy, copyKey(), {}, false);
    sync = await installation.startSync({ adoption: 'refuse' });
    await stands('inStep');
    await remove();
    await stands('CopyUnproven');
    expect(await size(copyKey())).toBe('of it');
    // A person says that it is the copy.
    await installation.service.patch(database(), copyKey(), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/place': `copies-${a.cluster}/default-one` } } },
    });
    await gone();
    expect(await size(copyKey())).toBeUndefined();
  });

  it('is found again where the naming rules have changed: what an agent has written is the copy, wherever it is', async () => {
    await create();
    await sync.stop();
    await installation.service.patch(database(), copyKey(), {
      type: 'merge',
      patch: { metadata: { annotations: { 'hawser.dev/place': null } } },
    });
    sync = await installation.startSync({
      adoption: 'refuse',
      rules: {
        ...installation.rules,
        naming: (_object, cluster) => ({ namespace: `copies-${cluster}`, name: 'another-name' }),
      },
    });
    await stands('inStep');
    await resize('large');
    await eventually(async () => {
      expect(await size(copyKey())).toBe('large');
    });
    expect((await installation.service.list(database())).items).toHaveLength(1);
    await remove();
    await gone();
    expect((await installation.service.list(database())).items).toEqual([]);
  });

  it('what another agent makes at the same moment does not keep an object from being deleted', async () => {
    await sync.stop();
    const { service } = installation;
    const create: Client['create'] = async (resource, object, options) => {
      // The other one is faster, after the finalizer was set for a copy of our own.
      if (resource.resource === database().resource)
        await service.create(resource, {
          ...object,
          metadata: {
            ...object.metadata,
            labels: { ...object.metadata.labels, 'syncagent.kcp.io/agent-name': 'the-other' },
          },
        });
      return service.create(resource, object, options);
    };
    const late = new Proxy(service, {
      get(target, name) {
        const found: unknown = name === 'create' ? create : Reflect.get(target, name, target);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
    sync = await installation.startSync({ adoption: 'refuse' }, { service: late });
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { size: 'small' }));
    await stands('OtherAgent');
    await eventually(async () => {
      expect((await a.get(inWorkspace))?.metadata.finalizers).toBeUndefined();
    });
    await remove();
    await gone();
    expect(await size(copyKey())).toBe('small');
  });

  it('nor does it where the agent ended before it knew', async () => {
    await sync.stop();
    const { service } = installation;
    const ended = Promise.withResolvers<undefined>();
    const create: Client['create'] = async (resource, object, options) => {
      if (resource.resource !== database().resource) return service.create(resource, object, options);
      await service.create(resource, {
        ...object,
        metadata: {
          ...object.metadata,
          labels: { ...object.metadata.labels, 'syncagent.kcp.io/agent-name': 'the-other' },
        },
      });
      ended.resolve(undefined);
      throw new Error('the agent is no more');
    };
    const dying = new Proxy(service, {
      get(target, name) {
        const found: unknown = name === 'create' ? create : Reflect.get(target, name, target);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
    sync = await installation.startSync({ adoption: 'refuse' }, { service: dying });
    await a.client.create(installation.kinds.kcp.resource, installation.object('one', { size: 'small' }));
    await ended.promise;
    await sync.stop();
    expect((await a.get(inWorkspace))?.metadata.finalizers).toEqual(['syncagent.kcp.io/cleanup']);
    sync = await installation.startSync({ adoption: 'refuse' });
    await stands('OtherAgent');
    await eventually(async () => {
      expect((await a.get(inWorkspace))?.metadata.finalizers).toBeUndefined();
    });
    await remove();
    await gone();
    expect(await size(copyKey())).toBe('small');
  });

  it('a finalizer that the object got for the copy of an agent of another name stays: that one may have been renamed', async () => {
    await create();
    await sync.stop();
    sync = await installation.startSync({ agentName: 'another', adoption: 'refuse' });
    await stands('OtherAgent');
    await resize('large');
    await stands('OtherAgent');
    expect((await a.get(inWorkspace))?.metadata.finalizers).toEqual(['syncagent.kcp.io/cleanup']);
  });

  it('a label that a consumer writes does not take the copy of another agent', async () => {
    await create();
    await sync.stop();
    sync = await installation.startSync({ agentName: 'another', adoption: 'refuse' });
    await a.client.patch(installation.kinds.kcp.resource, inWorkspace, {
      type: 'merge',
      patch: {
        metadata: { labels: { 'syncagent.kcp.io/agent-name': installation.agentNamespace } },
        spec: { size: 'large' },
      },
    });
    await stands('OtherAgent');
    expect(await installation.service.get(database(), copyKey())).toMatchObject({
      spec: { size: 'small' },
      metadata: { labels: { 'syncagent.kcp.io/agent-name': installation.agentNamespace } },
    });
  });
});
