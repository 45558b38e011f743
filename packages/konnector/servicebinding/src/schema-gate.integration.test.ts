import type { UnstructuredObject } from '@hawser/client';
import type { Controller } from '@hawser/controller';
import { hawserAnnotations, resources } from '@hawser/kube-bind';
import { type Metrics, createMetrics, noMetrics } from '@hawser/telemetry';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { approveHeldSchemas, createServiceBinding, heldSchemas } from './index.js';

const sized = (size: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) =>
  version({ spec: { type: 'object', properties: { size, ...more } } });

describeWithControlPlane('the gate of a binding', () => {
  let pair: KonnectorPair;
  let running: Controller<'consumer' | 'provider'>[];
  let name: string;
  const signal = new AbortController().signal;

  beforeEach(async () => {
    pair = await openKonnectorPair();
    running = [];
    name = `gate-${pair.clusterNamespace}`;
    await pair.createSchema('databases', { scope: 'Cluster', versions: [sized({ type: 'integer', maximum: 10 })] });
    await pair.createExport(name, ['databases']);
  });
  afterEach(async () => {
    await stop();
    await pair.close();
  });

  async function start(
    options: { readonly schemaPolicy?: 'Safe' | 'Always' | 'Never' } = {},
    metrics: Metrics = noMetrics,
  ): Promise<void> {
    const controller = createServiceBinding({ connection: pair.connection, ...options });
    running.push(controller);
    await controller.start({ ...pair.context(), metrics });
  }
  const stop = async (): Promise<void> => {
    await Promise.all(running.splice(0).map((controller) => controller.stop()));
  };
  async function bound(): Promise<void> {
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    await eventually(() => pair.consumer.list(databases()));
  }
  const databases = () => ({ group: pair.group, version: 'v1', resource: 'databases' });
  const offer = (...versions: readonly unknown[]): Promise<unknown> =>
    pair.provider.patch(
      resources.boundSchemas,
      { namespace: pair.clusterNamespace, name: `databases.${pair.group}` },
      { type: 'merge', patch: { spec: { versions } } },
    );
  const installed = async (): Promise<string> => JSON.stringify((await pair.crd('databases'))?.spec);
  const annotate = (annotations: Readonly<Record<string, string | null>>): Promise<unknown> =>
    pair.consumer.patch(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const create = (object: string, size: number): Promise<unknown> =>
    pair.consumer.create(databases(), {
      apiVersion: `${pair.group}/v1`,
      kind: 'Database',
      metadata: { name: object },
      spec: { size },
    } as UnstructuredObject);
  const gone = (type: string): Promise<void> =>
    eventually(
      async () => {
        expect(await pair.condition(name, type)).toBeUndefined();
      },
      { timeoutMs: 20_000 },
    );

  it('lets a safe change through', async () => {
    await start();
    await bound();
    await create('one', 9);
    await offer(sized({ type: 'integer', maximum: 20 }, { color: { type: 'string' } }));
    await eventually(
      async () => {
        expect(await installed()).toContain('color');
      },
      { timeoutMs: 20_000 },
    );
    expect(await pair.condition(name, 'SchemaUpdateHeld')).toBeUndefined();
  });

  it('holds a breaking one, tells once, writes nothing while it waits, and lets it through when just this one is approved', async () => {
    await start();
    await bound();
    await offer(sized({ type: 'integer', maximum: 8 }));
    const condition = await pair.becomes(name, 'SchemaUpdateHeld', {
      status: 'True',
      reason: 'BreakingSchemaChange',
      message: 'v1: spec.size: may be',
    });
    expect(await installed()).toContain('"maximum":10');
    // What is installed works.
    expect((await pair.binding(name)).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
    const heldEvents = (): readonly string[] => pair.events.filter((line) => line.includes('BreakingSchemaChange'));
    expect(heldEvents()).toEqual([
      `APIServiceBinding ${name} Warning BreakingSchemaChange: ${condition.message ?? ''}`,
    ]);
    const { resourceVersion } = (await pair.binding(name)).metadata;
    await stop();
    await start();
    await pair.createSchema('zones');
    await pair.createExport(`${name}-2`, ['zones']);
    await pair.bind(`${name}-2`);
    await pair.becomes(`${name}-2`, 'Ready', { status: 'True' });
    expect((await pair.binding(name)).metadata.resourceVersion).toBe(resourceVersion);

    const [first] = await approveHeldSchemas(pair.consumer, name, signal);
    await eventually(
      async () => {
        expect(await installed()).toContain('"maximum":8');
      },
      { timeoutMs: 20_000 },
    );
    await gone('SchemaUpdateHeld');
    // The approval does not cover what comes after it.
    await offer(sized({ type: 'integer', maximum: 7 }));
    await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', message: '7' });
    const held = heldSchemas(await pair.binding(name));
    expect(held?.hashes).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/u)]);
    expect(held?.hashes).not.toContain(first);
    expect(await installed()).toContain('"maximum":8');
    // Taken back by the provider.
    await offer(sized({ type: 'integer', maximum: 8 }));
    await gone('SchemaUpdateHeld');
    expect(await approveHeldSchemas(pair.consumer, name, signal)).toEqual([]);
  });

  it('holds what is safe by its shape where stored objects do not fit, with count and names, until they do', async () => {
    await start();
    await bound();
    // Refused anew, and forgiven where they are stored: by a rule that comes later.
    for (const object of ['one', 'two', 'three']) await create(object, 9);
    const rule = { 'x-kubernetes-validations': [{ rule: 'self != 9', message: 'not nine' }] };
    await annotate({ [hawserAnnotations.schemaUpdate]: 'Always' });
    await offer(sized({ type: 'integer', maximum: 10, ...rule }));
    await eventually(
      async () => {
        expect(await installed()).toContain('self != 9');
      },
      { timeoutMs: 20_000 },
    );
    await annotate({ [hawserAnnotations.schemaUpdate]: 'Safe' });
    await offer(sized({ type: 'integer', maximum: 20, ...rule }));
    const condition = await pair.becomes(name, 'SchemaUpdateHeld', {
      status: 'True',
      reason: 'StoredObjectsInvalid',
      message: '3 of 3 stored objects could not be created under it',
    });
    expect(condition.message).toContain('three');

    await approveHeldSchemas(pair.consumer, name, signal);
    await eventually(
      async () => {
        expect(await installed()).toContain('"maximum":20');
      },
      { timeoutMs: 20_000 },
    );
  });

  it('obeys the policy of the process and that of the binding, which goes first; an unknown word restrains', async () => {
    await start({ schemaPolicy: 'Always' });
    await bound();
    await offer(sized({ type: 'integer', maximum: 9 }));
    await eventually(
      async () => {
        expect(await installed()).toContain('"maximum":9');
      },
      { timeoutMs: 20_000 },
    );
    await annotate({ [hawserAnnotations.schemaUpdate]: 'Never' });
    await offer(sized({ type: 'integer', maximum: 20 }));
    await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', reason: 'SchemaUpdatesOff' });
    await annotate({ [hawserAnnotations.schemaUpdate]: 'sometimes' });
    await eventually(
      async () => {
        expect(await installed()).toContain('"maximum":20');
      },
      { timeoutMs: 20_000 },
    );
    await gone('SchemaUpdateHeld');
    await offer(sized({ type: 'integer', maximum: 9 }));
    await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', reason: 'BreakingSchemaChange' });
  });

  it('refuses another API, whatever the policy, and says what to do instead', async () => {
    await start({ schemaPolicy: 'Always' });
    await bound();
    const at = { namespace: pair.clusterNamespace, name: `databases.${pair.group}` };
    await pair.provider.delete(resources.boundSchemas, at);
    await pair.createSchema('databases', { scope: 'Namespaced', versions: [sized({ type: 'integer', maximum: 10 })] });
    const { message } = await pair.becomes(name, 'SchemaUpdateHeld', {
      status: 'True',
      reason: 'IncompatibleSchemaChange',
      message: 'scope',
    });
    expect(message).not.toContain('kubectl annotate');
    expect(await approveHeldSchemas(pair.consumer, name, signal)).toEqual([]);
    expect(await installed()).toContain('"scope":"Cluster"');
  });

  it('counts what is held no longer than the binding is served', async () => {
    const metrics = createMetrics();
    const counted = async (): Promise<boolean> =>
      (await metrics.expose()).body.includes(`hawser_konnector_schema_updates_held{binding="${name}"`);
    await start({ schemaPolicy: 'Never' }, metrics);
    await bound();
    await offer(sized({ type: 'integer', maximum: 20 }));
    await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', reason: 'SchemaUpdatesOff' });
    expect(await counted()).toBe(true);
    pair.bindings.leave(name);
    await eventually(
      async () => {
        expect(await counted()).toBe(false);
      },
      { timeoutMs: 20_000 },
    );
  });
});
