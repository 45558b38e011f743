import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ObjectKey, type UnstructuredObject, getIfExists } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { eventually } from '@hawser/testenv';

import type { RelatedRule } from './rules.js';
import type { Sync } from './sync-options.js';
import { byReference } from './testing/by-reference.js';
import { type Installation, type Workspace, configMaps, openInstallation, secrets } from './testing/installation.js';

const FINALIZER = 'syncagent.kcp.io/cleanup';

describe('related objects that can be read no more', () => {
  let installation: Installation;
  let a: Workspace;
  let sync: Sync;
  let aheadMs: number;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    aheadMs = 0;
  });
  afterEach(async () => {
    await installation.close();
  });

  const start = async (...related: readonly RelatedRule[]): Promise<void> => {
    sync = await installation.startSync(
      { rules: { ...installation.rules, related } },
      { clock: { ...systemClock, now: () => systemClock.now() + aheadMs } },
    );
  };
  const inWorkspace = (name: string): ObjectKey => ({ namespace: 'default', name });
  const onService = (name: string): ObjectKey => ({ namespace: `copies-${a.cluster}`, name });
  const object = (kind: string, key: ObjectKey, value: string): UnstructuredObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { ...key },
    data: { value },
  });
  const secret = (key: ObjectKey): UnstructuredObject => object('Secret', key, 'dg==');
  const create = (spec: object): Promise<unknown> =>
    a.client.create(installation.kinds.kcp.resource, installation.object('one', spec));
  const why = (): unknown => sync.why(`${a.cluster}|default/one`);
  const inStep = (): Promise<void> =>
    eventually(() => {
      expect([why(), sync.surveyed]).toEqual([{ verdict: { kind: 'inStep' }, problem: undefined }, true]);
    });
  const problemIs = (reason: string): Promise<void> =>
    eventually(() => {
      expect(why()).toMatchObject({ problem: { reason } });
    });
  const gone = (): Promise<void> =>
    eventually(async () => {
      expect(await a.get(inWorkspace('one'))).toBeUndefined();
    });
  const remove = (): Promise<unknown> => a.client.delete(installation.kinds.kcp.resource, inWorkspace('one'));
  const left = (): readonly string[] =>
    installation.events
      .filter(({ event: { reason } }) => reason === 'RelatedLeft')
      .map(({ event: { message } }) => message);
  const forbidden = (resource: string): object => ({
    status: 403,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: `${resource} is forbidden`,
      details: { kind: resource },
    }),
  });
  /** The export claims this no more. */
  const unclaim = (resource: string): void => {
    installation.kcp.kcp.setFaults(({ path }, info) =>
      info.resource === resource && path.startsWith('/services/')
        ? { instead: forbidden(resource) as never }
        : undefined,
    );
  };
  const rejectClaims = async (): Promise<void> => {
    const apiBindings = { group: 'apis.kcp.io', version: 'v1alpha2', resource: 'apibindings' };
    const { spec } = await a.client.get<UnstructuredObject & { readonly spec: { permissionClaims: object[] } }>(
      apiBindings,
      { name: 'databases' },
    );
    const permissionClaims = spec.permissionClaims.map((claim) => ({ ...claim, state: 'Rejected' }));
    await a.client.patch(apiBindings, { name: 'databases' }, { type: 'merge', patch: { spec: { permissionClaims } } });
  };
  const revoke = (resource: string): void => {
    installation
      .server()
      .setFaults((_request, info) =>
        info.resource === resource && info.namespace === onService('').namespace
          ? { instead: forbidden(resource) as never }
          : undefined,
      );
  };

  it('stay for an object that could not look at them yet, while another one of theirs goes', async () => {
    await start(byReference('config', 'kcp', 'secretName'));
    await a.client.create(secrets, secret(inWorkspace('creds')));
    await create({ secretName: 'creds' });
    const { uid } = (
      await eventually(() =>
        getIfExists(installation.service, secrets, onService('creds')).then((copy) => copy ?? false),
      )
    ).metadata;
    await inStep();
    // So often that the next look is some seconds away.
    let refused = 0;
    installation.server().setFaults((request, info) => {
      if (request.method !== 'GET' || info.name !== 'creds') return undefined;
      refused++;
      return { instead: { status: 500, headers: {}, body: '' } };
    });
    await a.client.create(installation.kinds.kcp.resource, installation.object('two', { secretName: 'creds' }));
    await eventually(() => {
      expect(refused).toBeGreaterThanOrEqual(7);
    });
    installation.server().setFaults(undefined);
    await remove();
    await gone();
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/two`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
    expect((await installation.service.get(secrets, onService('creds'))).metadata.uid).toBe(uid);
  });

  it('are no copies of this agent because what stands in their place could not be read at first', async () => {
    await start(byReference('config', 'kcp', 'secretName'));
    await create({});
    await inStep();
    await installation.service.create(secrets, object('Secret', onService('creds'), 'b3RoZXI='), {
      fieldManager: 'hawser-syncagent',
    });
    let refused = 0;
    installation.server().setFaults((request, info) => {
      if (request.method !== 'GET' || info.name !== 'creds' || refused >= 2) return undefined;
      refused++;
      return { instead: { status: 500, headers: {}, body: '' } };
    });
    await a.client.create(secrets, secret(inWorkspace('creds')));
    await a.client.patch(installation.kinds.kcp.resource, inWorkspace('one'), {
      type: 'merge',
      patch: { spec: { secretName: 'creds' } },
    });
    await eventually(() => {
      expect(refused).toBe(2);
    });
    await problemIs('Occupied');
    expect((await installation.service.get(secrets, onService('creds')))['data']).toEqual({ value: 'b3RoZXI=' });
  });

  it.each([
    ['whose entry is gone, and then its claim', false],
    ['whose claim is gone', true],
  ])(
    'of a workspace, %s, are told and hold up the deletion of their primary for a minute at most',
    async (_title, stays) => {
      const rule = byReference('config', 'kcp', 'secretName');
      await start(rule);
      await a.client.create(secrets, secret(inWorkspace('creds')));
      await create({ secretName: 'creds' });
      await eventually(async () => {
        expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeDefined();
      });
      await inStep();
      await sync.stop();
      unclaim('secrets');
      await start(...(stays ? [rule] : []));
      await problemIs(stays ? 'RelatedUnresolved' : 'ForbiddenInWorkspace');
      // It waits for nothing else.
      await a.client.patch(installation.kinds.kcp.resource, inWorkspace('one'), {
        type: 'merge',
        patch: { spec: { size: 'large' } },
      });
      await eventually(async () => {
        expect((await installation.copyOf(a, 'one'))?.['spec']).toMatchObject({ size: 'large' });
      });
      await remove();
      await eventually(() => {
        expect(why()).toMatchObject({ problem: { message: expect.stringContaining('for a minute') } });
      });
      expect(await installation.copyOf(a, 'one')).toBeDefined();
      aheadMs = 61_000;
      sync.recheck();
      await gone();
      expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeUndefined();
      expect((await a.get(inWorkspace('creds'), secrets))?.metadata.finalizers).toEqual([FINALIZER]);
      expect(left()).toEqual([
        expect.stringMatching(/secrets default\/creds.*Take the finalizer syncagent\.kcp\.io\/cleanup off/u),
      ]);
    },
  );

  it('of the service cluster for a while, are brought in step once they can be read again, without anything else happening', async () => {
    await start(byReference('credentials', 'service', 'secretName'));
    await create({ secretName: 'creds' });
    await eventually(async () => {
      expect(await installation.copyOf(a, 'one')).toBeDefined();
    });
    await installation.service.create(secrets, secret(onService('creds')));
    const inTheWorkspace = async (): Promise<unknown> => (await a.get(inWorkspace('creds'), secrets))?.['data'];
    await eventually(async () => {
      expect(await inTheWorkspace()).toEqual({ value: 'dg==' });
    });
    await inStep();
    installation
      .server()
      .setFaults((_request, info) =>
        info.resource === 'secrets' && info.verb === 'get' && info.namespace === onService('').namespace
          ? { instead: 'reset' }
          : undefined,
      );
    await installation.service.patch(secrets, onService('creds'), {
      type: 'merge',
      patch: { data: { value: 'bmV3' } },
    });
    await problemIs('RelatedUnresolved');
    installation.server().setFaults(undefined);
    await eventually(async () => {
      expect(await inTheWorkspace()).toEqual({ value: 'bmV3' });
    });
    await inStep();
  });

  it('of a workspace for a while, are brought in step once they can be read again', async () => {
    await start(byReference('config', 'kcp', 'secretName'));
    await a.client.create(secrets, secret(inWorkspace('creds')));
    await create({ secretName: 'creds' });
    const onTheService = async (): Promise<unknown> =>
      (await getIfExists(installation.service, secrets, onService('creds')))?.['data'];
    await eventually(async () => {
      expect(await onTheService()).toEqual({ value: 'dg==' });
    });
    await inStep();
    await sync.stop();
    unclaim('secrets');
    await start(byReference('config', 'kcp', 'secretName'));
    await problemIs('RelatedUnresolved');
    await a.client.patch(secrets, inWorkspace('creds'), { type: 'merge', patch: { data: { value: 'bmV3' } } });
    installation.kcp.kcp.setFaults(undefined);
    await eventually(
      async () => {
        expect(await onTheService()).toEqual({ value: 'bmV3' });
      },
      { timeoutMs: 60_000 },
    );
    await inStep();
  });

  it('of the service cluster, whose entry is gone, and then the right to them, hold up nothing else, and are told', async () => {
    const kept = byReference('settings', 'kcp', 'configName', { resources: { kcp: configMaps, service: configMaps } });
    await start(byReference('credentials', 'service', 'secretName', { cleanup: true }), kept);
    await create({ secretName: 'creds', configName: 'settings' });
    await eventually(async () => {
      expect(await installation.copyOf(a, 'one')).toBeDefined();
    });
    await installation.service.create(secrets, secret(onService('creds')));
    await a.client.create(configMaps, object('ConfigMap', inWorkspace('settings'), 'first'));
    await eventually(async () => {
      expect(await a.get(inWorkspace('creds'), secrets)).toBeDefined();
    });
    await eventually(async () => {
      expect(await getIfExists(installation.service, configMaps, onService('settings'))).toMatchObject({
        data: { value: 'first' },
      });
    });
    await inStep();
    await sync.stop();
    revoke('secrets');
    await start(kept);
    // Its source need not be read.
    await eventually(async () => {
      expect(await a.get(inWorkspace('creds'), secrets)).toBeUndefined();
    });
    await a.client.patch(configMaps, inWorkspace('settings'), { type: 'merge', patch: { data: { value: 'second' } } });
    await eventually(async () => {
      expect(await getIfExists(installation.service, configMaps, onService('settings'))).toMatchObject({
        data: { value: 'second' },
      });
    });
    await remove();
    await gone();
  });

  it('whose copies can be read no more are left after a minute, and named', async () => {
    await start(byReference('config', 'kcp', 'secretName'));
    await a.client.create(secrets, secret(inWorkspace('creds')));
    await create({ secretName: 'creds' });
    await eventually(async () => {
      expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeDefined();
    });
    await inStep();
    await sync.stop();
    revoke('secrets');
    await start();
    await problemIs('ForbiddenOnServiceCluster');
    await remove();
    await eventually(() => {
      expect(why()).toMatchObject({ problem: { message: expect.stringContaining('for a minute') } });
    });
    aheadMs = 61_000;
    sync.recheck();
    await gone();
    expect(left()).toEqual([expect.stringContaining(`secrets ${onService('creds').namespace ?? ''}/creds`)]);
    installation.server().setFaults(undefined);
    expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeDefined();
  });

  it('whose finalizer may not be taken off any more are left after a minute, and named', async () => {
    await start(byReference('config', 'kcp', 'secretName'));
    await a.client.create(secrets, secret(inWorkspace('creds')));
    await create({ secretName: 'creds' });
    await eventually(async () => {
      expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeDefined();
    });
    await inStep();
    installation.kcp.kcp.setFaults(({ path, method }, info) =>
      info.resource === 'secrets' && method === 'PATCH' && path.startsWith('/services/')
        ? { instead: forbidden('secrets') as never }
        : undefined,
    );
    await remove();
    await eventually(() => {
      expect(why()).toMatchObject({ problem: { message: expect.stringContaining('for a minute') } });
    });
    aheadMs = 61_000;
    sync.recheck();
    await gone();
    expect(await getIfExists(installation.service, secrets, onService('creds'))).toBeUndefined();
    expect(left()).toEqual([
      expect.stringMatching(/secrets default\/creds.*Take the finalizer syncagent\.kcp\.io\/cleanup off/u),
    ]);
  });

  it.each([
    ['may not be deleted', false],
    ['are seen no more, and may not be read', true],
  ])(
    'of the service cluster, whose copies in the workspace %s, are left after a minute, and named',
    async (_title, isRejected) => {
      await start(byReference('credentials', 'service', 'secretName', { cleanup: true }));
      await create({ secretName: 'creds' });
      await eventually(async () => {
        expect(await installation.copyOf(a, 'one')).toBeDefined();
      });
      await installation.service.create(secrets, secret(onService('creds')));
      await eventually(async () => {
        expect(await a.get(inWorkspace('creds'), secrets)).toBeDefined();
      });
      await inStep();
      if (isRejected) await rejectClaims();
      else
        installation.kcp.kcp.setFaults(({ path, method }, info) =>
          info.resource === 'secrets' && method === 'DELETE' && path.startsWith('/services/')
            ? { instead: forbidden('secrets') as never }
            : undefined,
        );
      await remove();
      await eventually(() => {
        expect(why()).toMatchObject({ problem: { message: expect.stringContaining('for a minute') } });
      });
      expect(await installation.copyOf(a, 'one')).toBeDefined();
      aheadMs = 61_000;
      sync.recheck();
      await gone();
      expect(await installation.copyOf(a, 'one')).toBeUndefined();
      expect(left()).toEqual([expect.stringMatching(/secrets .*creds.*Delete its copy, .*default\/creds/u)]);
    },
  );
});
