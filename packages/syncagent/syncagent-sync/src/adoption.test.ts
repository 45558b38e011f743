import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { type ApiRequest, DirectDispatcher, type ResponseSink, administrator } from '@hawser/apiserver';
import { type ObjectKey, type UnstructuredObject, createClient } from '@hawser/client';
import { eventually } from '@hawser/testenv';

import type { Sync, SyncOptions } from './sync-options.js';
import { type Installation, type Workspace, namespaces, openInstallation } from './testing/installation.js';

const ADOPTED = 'hawser.dev/adopted';

describe('an object that stands in the place of a copy', () => {
  let installation: Installation;
  let a: Workspace;
  let sync: Sync;
  let closers: (() => Promise<void>)[];
  /** Trial writes. */
  let trials: number;
  let refuseTrials: boolean;
  /** Looks at objects that are over. */
  let looks: number;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    ({ a } = installation.workspaces);
    closers = [];
    trials = 0;
    refuseTrials = false;
    looks = 0;
    await installation.service.create(namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: copyKey().namespace ?? '' },
    });
  });
  afterEach(async () => {
    await installation.close();
    await Promise.all(closers.map((close) => close()));
  });

  const copyKey = (): ObjectKey => ({ namespace: `copies-${a.cluster}`, name: 'default-one' });
  const inWorkspace = { namespace: 'default', name: 'one' };
  const start = async (more: Partial<SyncOptions> = {}): Promise<void> => {
    const server = installation.server();
    const handler = {
      handle(request: ApiRequest, sink: ResponseSink): ReturnType<typeof server.handle> {
        if (!request.path.includes('dryRun=All')) return server.handle(request, sink);
        trials++;
        if (!refuseTrials) return server.handle(request, sink);
        queueMicrotask(() => {
          sink.head(400, { 'content-type': 'application/json' });
          sink.data(
            JSON.stringify({
              kind: 'Status',
              apiVersion: 'v1',
              status: 'Failure',
              message: 'admission webhook "x.example.com" does not support dry run',
              reason: 'BadRequest',
              code: 400,
            }),
          );
          sink.end();
        });
        return { abort: () => undefined };
      },
    };
    const service = createClient({
      name: 'service',
      connection: { server: 'https://service.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => handler, user: administrator }),
    });
    closers.push(() => service.close());
    const during: SyncOptions['during'] = async (_object, work) => {
      const result = await work();
      looks++;
      return result;
    };
    sync = await installation.startSync({ adoption: 'adopt', during, ...more }, { service });
  };
  const stands = (spec: object, metadata: Readonly<Record<string, unknown>> = {}): Promise<UnstructuredObject> =>
    installation.service.create(installation.kinds.service.resource, {
      apiVersion: `${installation.kinds.service.resource.group}/v1`,
      kind: 'Database',
      metadata: { ...copyKey(), ...metadata },
      spec,
    } as UnstructuredObject);
  const create = (spec: object, metadata: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
    a.client.create(installation.kinds.kcp.resource, installation.object('one', spec, metadata));
  const change = (spec: object): Promise<unknown> =>
    a.client.patch(installation.kinds.kcp.resource, inWorkspace, { type: 'merge', patch: { spec } });
  const copy = (): Promise<UnstructuredObject | undefined> => installation.copyOf(a, 'one');
  const problemIs = (reason: string | undefined): Promise<void> =>
    eventually(() => {
      expect(sync.why(`${a.cluster}|default/one`).problem?.reason).toBe(reason);
    });
  const inStep = (): Promise<void> =>
    eventually(() => {
      expect(sync.why(`${a.cluster}|default/one`)).toEqual({ verdict: { kind: 'inStep' }, problem: undefined });
    });
  const remove = async (): Promise<void> => {
    await a.client.delete(installation.kinds.kcp.resource, inWorkspace);
    await eventually(async () => {
      expect(await a.get(inWorkspace)).toBeUndefined();
    });
  };

  it('and says more than the object is not taken: what is deleted or changed in the workspace leaves it as it is', async () => {
    await stands({ size: 'small', replicas: 3 });
    await start();
    await create({ size: 'small' });
    await problemIs('AdoptedDiffers');
    expect(sync.why(`${a.cluster}|default/one`).problem?.message).toContain('spec.replicas');
    await change({ size: 'large' });
    await eventually(() => {
      expect(sync.why(`${a.cluster}|default/one`).problem?.message).toContain('spec.size');
    });
    await remove();
    expect(await copy()).toMatchObject({ spec: { size: 'small', replicas: 3 } });
  });

  it.each([
    ['labels', { labels: { team: 'operators' } }],
    ['annotations', { annotations: { team: 'operators' } }],
  ])('and has %s of its own is not taken', async (_what, metadata) => {
    await stands({ size: 'small' }, metadata);
    await start();
    await create({ size: 'small' });
    await problemIs('AdoptedDiffers');
    await remove();
    expect(await copy()).toBeDefined();
  });

  it('and is empty but for defaults is not taken for what says nothing, unless it is just that', async () => {
    await stands({ tier: 'gold' });
    await start();
    await create({});
    await problemIs('AdoptedDiffers');
    await change({ tier: 'gold' });
    await inStep();
  });

  it('and differs in nothing but defaults of the service cluster is taken, with one trial write, and none later', async () => {
    await stands({ size: 'small' });
    expect(await copy()).toMatchObject({ spec: { size: 'small', tier: 'standard' } });
    await start();
    await create({ size: 'small' });
    await inStep();
    expect((await copy())?.metadata.annotations?.[ADOPTED]).toBeUndefined();
    expect(trials).toBe(1);
    await change({ size: 'large' });
    await eventually(async () => {
      expect((await copy())?.['spec']).toEqual({ size: 'large', tier: 'standard' });
    });
    await inStep();
    sync.recheck();
    await inStep();
    expect(trials).toBe(1);
    await remove();
    expect(await copy()).toBeUndefined();
  });

  it('is taken once both agree, and asked about once for each content', async () => {
    await stands({ size: 'small', replicas: 3 });
    await start();
    await create({ size: 'small' });
    await problemIs('AdoptedDiffers');
    const [asked, before] = [trials, looks];
    sync.recheck();
    await eventually(() => {
      expect(looks).toBeGreaterThan(before);
    });
    expect(trials).toBe(asked);
    await change({ replicas: 3 });
    await inStep();
    expect((await copy())?.metadata.annotations?.[ADOPTED]).toBeUndefined();
    await change({ replicas: 4 });
    await eventually(async () => {
      expect((await copy())?.['spec']).toMatchObject({ replicas: 4 });
    });
  });

  it('is not adopted where a trial write is refused, and the provider is told', async () => {
    await stands({ size: 'small' });
    await start();
    refuseTrials = true;
    await create({ size: 'small' });
    await problemIs('AdoptionUnproven');
    expect(sync.why(`${a.cluster}|default/one`).problem).toMatchObject({
      actor: 'provider',
      message: expect.stringContaining('does not support dry run'),
    });
    expect((await copy())?.metadata).not.toMatchObject({ labels: expect.anything() });
    refuseTrials = false;
    sync.recheck();
    await inStep();
  });

  it('and took the place of a copy is not taken because the copy is remembered', async () => {
    await start();
    await create({ size: 'small' });
    await inStep();
    await sync.stop();
    await installation.service.delete(installation.kinds.service.resource, copyKey());
    await stands({ size: 'small', replicas: 3 });
    await start();
    await problemIs('AdoptedDiffers');
    await remove();
    expect(await copy()).toMatchObject({ spec: { replicas: 3 } });
  });

  it('and took the place of a copy is overwritten where that is wanted, though the copy is remembered', async () => {
    await start();
    await create({ size: 'small' });
    await inStep();
    await sync.stop();
    await installation.service.delete(installation.kinds.service.resource, copyKey());
    await stands({ size: 'theirs' });
    await start({ adoption: 'overwrite' });
    await eventually(async () => {
      expect((await copy())?.['spec']).toMatchObject({ size: 'small' });
    });
    await inStep();
    expect((await copy())?.metadata.annotations?.[ADOPTED]).toBeUndefined();
  });
});
