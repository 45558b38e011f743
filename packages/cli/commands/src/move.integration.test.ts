import { type MoveStep, type MoveWish, moveObject, planMove } from '@hawser/bind';
import { type Client, createClient, getIfExists, type KubeObject, type UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { type Binding, labels, resources } from '@hawser/core-kbind';
import { customResourceDefinitions } from '@hawser/crd';
import { crdOf } from '@hawser/installation';
import { createBindingController } from '@hawser/kbind-binding';
import { createConnectionController } from '@hawser/kbind-connection';
import {
  type ControlPlane,
  describeWithControlPlane,
  eventually,
  type RunningController,
  runController,
  startControlPlane,
} from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import {
  type KbindClusters,
  openKbindClusters,
  openProvider,
} from '../../../konnector/kbind-connection/src/testing/kbind-clusters.js';
import { readMove } from './index.js';
import { type Ran, runRead } from './testing/run-read.js';

type Where = 'alpha' | 'beta';

describeWithControlPlane('hawser move', () => {
  let clusters: KbindClusters;
  let second: ControlPlane;
  let consumer: Client;
  let providers: Record<Where, Client>;
  let running: RunningController[] = [];
  let number = 0;
  /** Of the object of a test. */
  let name: string;

  const widgets = { group: 'example.org', version: 'v1', resource: 'widgets' };
  const signal = new AbortController().signal;
  const key = (): { readonly namespace: string; readonly name: string } => ({ namespace: 'team', name });

  beforeAll(async () => {
    clusters = await openKbindClusters(['team']);
    second = await startControlPlane({ name: 'kbind-provider-beta' });
    ({ consumer } = clusters);
    providers = { alpha: clusters.provider, beta: createClient({ name: 'beta', connection: second.connection }) };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const crd = crdOf(
      { group: 'example.org', plural: 'widgets', kind: 'Widget', scope: 'Namespaced' },
      { properties: { spec: open, status: open }, statusSubresource: true },
    );
    for (const where of ['alpha', 'beta'] as const)
      await providers[where].create(customResourceDefinitions, {
        ...crd,
        metadata: { ...crd.metadata, labels: { [labels.exported]: 'true' } },
      });
    await clusters.putSecret('alpha');
    await clusters.putSecret('beta', second.kubeconfig);
    await start();
    for (const [to, tier] of [
      ['alpha', 'gold'],
      ['beta', 'silver'],
    ] as const) {
      await clusters.connect(to);
      await consumer.create(resources.bindings, {
        apiVersion: 'core.kbind.io/v1alpha1',
        kind: 'Binding',
        metadata: { name: to, namespace: 'team', annotations: { 'hawser.dev/object-selector': `tier=${tier}` } },
        spec: { connectionRef: { name: to }, apis: [{ name: 'widgets.example.org' }] },
      } as KubeObject);
    }
  });
  afterAll(async () => {
    await stop();
    await providers.beta.close();
    await second.stop();
    await clusters.close();
  });
  beforeEach(() => {
    name = `widget-${++number}`;
  });

  async function start(): Promise<void> {
    const connections = createConnectionController({ open: openProvider });
    running = [
      await runController(createBindingController({ links: connections.links }), { consumer }),
      await runController(connections, { consumer }),
    ];
  }

  async function stop(): Promise<void> {
    for (const one of running) await one.stop();
  }

  const here = (): Promise<UnstructuredObject | undefined> => getIfExists(consumer, widgets, key());
  const copy = (where: Where): Promise<UnstructuredObject | undefined> => getIfExists(providers[where], widgets, key());
  const marks = async (): Promise<readonly string[]> =>
    Object.keys((await here())?.metadata.annotations ?? {}).filter((mark) => mark.startsWith('hawser.dev/move'));

  async function report(where: Where, phase: string, ready?: 'True' | 'False'): Promise<void> {
    await eventually(async () => {
      expect(await copy(where)).toBeDefined();
    });
    const conditions = ready === undefined ? {} : { conditions: [{ type: 'Ready', status: ready }] };
    const patch = { type: 'merge', patch: { status: { phase, ...conditions } } } as const;
    await providers[where].patch(widgets, key(), patch, { subresource: 'status' });
  }

  const shows = (phase: string): Promise<void> =>
    eventually(async () => {
      expect(await here()).toMatchObject({ status: { phase } });
    });

  /** Served at alpha, and selected by the binding that leads to beta. */
  async function make(annotations: Readonly<Record<string, string>> = {}, ready?: 'True'): Promise<void> {
    const widget = {
      apiVersion: 'example.org/v1',
      kind: 'Widget',
      metadata: { ...key(), labels: { tier: 'gold' }, annotations },
      spec: { size: 'small' },
    };
    await eventually(() => consumer.create(widgets, widget));
    await report('alpha', 'old', ready);
    await shows('old');
    await consumer.patch(widgets, key(), { type: 'merge', patch: { metadata: { labels: { tier: 'silver' } } } });
  }

  const run = (...args: readonly string[]): Promise<Ran> =>
    runRead(readMove, clusters.planes.consumer.kubeconfigFile, `team/${name}`, ...args);

  /** Carries out the first steps, as a command does that is ended after them. */
  async function abortAfter(kinds: readonly MoveStep['kind'][]): Promise<void> {
    const wish: MoveWish = { key: key(), to: 'beta', undo: false };
    const plan = await planMove(consumer, wish, signal);
    expect(plan.refusals).toEqual([]);
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['prepare', 'awaitReady', 'switch', 'awaitReleased']);
    const options = { consumer, clock: systemClock, print: () => undefined, timeoutMs: 30_000, signal };
    const steps = plan.steps.filter(({ kind }) => kinds.includes(kind));
    expect(await moveObject(options, wish, { ...plan, steps })).toEqual({ kind: 'done' });
  }

  it('shows what it would do, and asks before it does it', async () => {
    await make();
    const preview = await run('--to=beta', '--dry-run');
    expect(preview).toMatchObject({ code: 0, out: expect.stringContaining('prepare a copy at Connection beta') });
    expect(await run('--to=beta')).toMatchObject({ code: 1, err: expect.stringContaining('give --yes') });
    expect(await marks()).toEqual([]);
    expect(await copy('beta')).toBeUndefined();
  });

  it('has the new provider serve the object, and the old copy go', async () => {
    await make();
    expect(await run('--to=beta', '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await copy('alpha')).toBeUndefined();
    expect(await copy('beta')).toMatchObject({ spec: { size: 'small' } });
    await report('beta', 'new');
    await shows('new');
    expect(await here()).toMatchObject({ metadata: { annotations: { 'hawser.dev/connection': 'beta' } } });
    expect(await marks()).toEqual([]);
    expect(await run('--to=beta', '--dry-run')).toMatchObject({ code: 0, out: 'Nothing would be done.\n' });

    await consumer.delete(widgets, key());
    await eventually(async () => {
      expect(await here()).toBeUndefined();
      expect(await copy('beta')).toBeUndefined();
    });
  });

  it('waits until the new copy is as ready as the old one', async () => {
    await make({}, 'True');
    const waited = await run('--to=beta', '--yes', '--timeout=2s');
    expect(waited).toMatchObject({ code: 1, err: expect.stringContaining('to be ready') });
    await report('beta', 'new', 'False');
    expect(await run('--to=beta', '--yes', '--timeout=2s')).toMatchObject({ code: 1 });
    expect(await here()).toMatchObject({ status: { phase: 'old' } });
    await report('beta', 'new', 'True');
    expect(await run('--to=beta', '--yes')).toMatchObject({ code: 0 });
    await shows('new');
    expect(await copy('alpha')).toBeUndefined();
  });

  describe('ended', () => {
    it.each<[string, readonly MoveStep['kind'][], Where]>([
      ['before it begins', [], 'alpha'],
      ['when the copy is to be prepared', ['prepare'], 'alpha'],
      ['when the copy is ready', ['prepare', 'awaitReady'], 'alpha'],
      ['when the new one serves', ['prepare', 'awaitReady', 'switch'], 'beta'],
    ])('%s leaves one provider serving, and goes on from there', async (_, steps, serving) => {
      await make();
      await abortAfter(steps);
      await stop();
      await start();
      await report(serving, 'as it is');
      await shows('as it is');
      await consumer.patch(widgets, key(), { type: 'merge', patch: { spec: { size: 'large' } } });
      await eventually(async () => {
        expect(await copy(serving)).toMatchObject({ spec: { size: 'large' } });
      });
      if (serving === 'alpha' && steps.length > 0) {
        // What the prepared copy says does not come to the object.
        await report('beta', 'too early');
        await report('alpha', 'still');
        await shows('still');
      }
      expect(await run('--to=beta', '--yes')).toMatchObject({ code: 0 });
      await report('beta', 'new');
      await shows('new');
      expect(await copy('alpha')).toBeUndefined();
      expect(await marks()).toEqual([]);
    });
  });

  it('keeps the old copy where a person wants that', async () => {
    await make({ 'core.kbind.io/deletion-policy': 'Orphan' });
    expect(await run('--to=beta', '--yes')).toMatchObject({ code: 0 });
    expect(await copy('alpha')).toMatchObject({ status: { phase: 'old' } });
    await report('beta', 'new');
    await shows('new');
    expect(await marks()).toEqual([]);
  });

  it('leaves what stands in the place of the new copy, and can be undone', async () => {
    await make();
    await abortAfter(['prepare', 'awaitReady']);
    expect(await copy('beta')).toBeDefined();
    expect(await run('--to=beta', '--undo')).toMatchObject({ code: 0 });
    expect(await copy('beta')).toBeUndefined();
    expect(await marks()).toEqual([]);
    await report('alpha', 'still');
    await shows('still');

    const foreign = { apiVersion: 'example.org/v1', kind: 'Widget', metadata: key(), spec: { size: 'foreign' } };
    await providers.beta.create(widgets, foreign);
    expect(await run('--to=beta', '--yes', '--timeout=2s')).toMatchObject({ code: 1 });
    await eventually(async () => {
      const binding = await consumer.get<Binding>(resources.bindings, { namespace: 'team', name: 'beta' });
      expect(binding.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'Conflicts', status: 'True', reason: 'ForeignObjectExists' }),
      );
    });
    expect(await run('--to=beta', '--undo')).toMatchObject({ code: 0 });
    expect(await copy('beta')).toMatchObject({ spec: { size: 'foreign' } });
    expect(await copy('alpha')).toMatchObject({ status: { phase: 'still' } });
  });

  it('deletes both copies with the object while it moves', async () => {
    await make();
    await abortAfter(['prepare', 'awaitReady']);
    await consumer.delete(widgets, key());
    await eventually(async () => {
      expect(await here()).toBeUndefined();
    });
    expect(await copy('alpha')).toBeUndefined();
    expect(await copy('beta')).toBeUndefined();
  });

  it('has no copy left behind by a binding that goes while the object moves', async () => {
    await make();
    await abortAfter(['prepare', 'awaitReady']);
    const beta = await consumer.get<Binding>(resources.bindings, { namespace: 'team', name: 'beta' });
    await consumer.delete(resources.bindings, { namespace: 'team', name: 'beta' });
    await eventually(async () => {
      expect(await getIfExists(consumer, resources.bindings, { namespace: 'team', name: 'beta' })).toBeUndefined();
    });
    expect(await copy('beta')).toBeUndefined();
    expect(await marks()).toEqual([]);
    await report('alpha', 'still');
    await shows('still');
    const { name: called, namespace, annotations } = beta.metadata;
    await consumer.create(resources.bindings, { ...beta, metadata: { name: called, namespace, annotations } });
    expect(await run('--to=beta', '--yes')).toMatchObject({ code: 0 });
    expect(await copy('alpha')).toBeUndefined();
  });

  it('is refused where no binding leads there, and for what there is not', async () => {
    await make();
    await eventually(async () => {
      expect((await run('--to=beta', '--dry-run')).code).toBe(0);
    });
    expect(await run('--to=gamma', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^ObjectNotSelected: .*Connection gamma/u),
    });
    name = 'none';
    expect(await run('--to=beta', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^ObjectNotFound: /u),
    });
  });
});
