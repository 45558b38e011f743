import type { Client, KubeObject, ListOptions, Resource, UnstructuredObject } from '@hawser/client';
import type { Controller, ControllerContext } from '@hawser/controller';
import { type APIServiceBinding, type BoundSchema, hawserAnnotations, resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type KonnectorPair,
  openKonnectorPair,
  version,
} from '../../konnector-connection/src/testing/konnector-pair.js';
import { createServiceBinding } from './index.js';

const sized = (maximum: number, more: Readonly<Record<string, unknown>> = {}) =>
  version({ spec: { type: 'object', properties: { size: { type: 'integer', maximum }, ...more } } });

describeWithControlPlane("a change that becomes another matter while the consumer's objects are read", () => {
  let pair: KonnectorPair;
  let controller: Controller<'consumer' | 'provider'>;
  let context: ControllerContext<'consumer' | 'provider'>;
  let name: string;
  /** Called when the stored objects are about to be read, which waits for it. */
  let whileReading: (() => Promise<unknown>) | undefined;
  let reads: number;
  let reading: number;
  let mostAtOnce: number;

  const offerFor = (plural: string, ...versions: readonly unknown[]): Promise<BoundSchema> =>
    pair.provider.patch<BoundSchema>(
      resources.boundSchemas,
      { namespace: pair.clusterNamespace, name: `${plural}.${pair.group}` },
      { type: 'merge', patch: { spec: { versions } } },
    );
  const offer = (...versions: readonly unknown[]): Promise<BoundSchema> => offerFor('databases', ...versions);
  const annotate = (annotations: Readonly<Record<string, string>>): Promise<APIServiceBinding> =>
    pair.consumer.patch<APIServiceBinding>(
      resources.apiServiceBindings,
      { name },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
  const crd = async (): Promise<{ readonly spec: string; readonly writes: number }> => {
    const found = await pair.crd('databases');
    return { spec: JSON.stringify(found?.spec), writes: (found?.metadata.generation ?? 0) - 1 };
  };

  /** The caches of the controller have what was just written. */
  async function heard(
    cluster: 'consumer' | 'provider',
    resource: Resource,
    namespace: string | undefined,
    written: KubeObject,
  ): Promise<void> {
    const informer = context.clusters[cluster].informers.acquire<KubeObject>({
      resource,
      ...(namespace === undefined ? {} : { namespace }),
    });
    try {
      await eventually(() => {
        expect(
          informer.get({ namespace: written.metadata.namespace, name: written.metadata.name })?.metadata
            .resourceVersion,
        ).toBe(written.metadata.resourceVersion);
      });
    } finally {
      informer.release();
    }
  }

  beforeEach(async () => {
    pair = await openKonnectorPair();
    whileReading = undefined;
    [reads, reading, mostAtOnce] = [0, 0, 0];
    name = `long-${pair.clusterNamespace}`;
    await pair.createSchema('databases', { scope: 'Cluster', versions: [sized(10)] });
    await pair.createExport(name, ['databases']);
    const { clusters, ...rest } = pair.context();
    const { client } = clusters.consumer;
    const list = async (resource: Resource, options: ListOptions): Promise<unknown> => {
      if (resource.group !== pair.group) return client.list(resource, options);
      reads++;
      mostAtOnce = Math.max(mostAtOnce, ++reading);
      try {
        const change = whileReading;
        whileReading = undefined;
        await change?.();
        return await client.list(resource, options);
      } finally {
        reading--;
      }
    };
    const slow = new Proxy<Client>(client, {
      get(target, key) {
        const value: unknown = key === 'list' ? list : Reflect.get(target, key, target);
        return typeof value === 'function' ? (value as (...args: readonly unknown[]) => unknown).bind(target) : value;
      },
    });
    context = { ...rest, clusters: { ...clusters, consumer: { ...clusters.consumer, client: slow } } };
    controller = createServiceBinding({ connection: pair.connection });
    await controller.start(context);
    await pair.bind(name);
    await pair.becomes(name, 'Ready', { status: 'True' });
    const databases = { group: pair.group, version: 'v1', resource: 'databases' };
    await eventually(() =>
      pair.consumer.create(databases, {
        apiVersion: `${pair.group}/v1`,
        kind: 'Database',
        metadata: { name: 'one' },
        spec: { size: 9 },
      } as UnstructuredObject),
    );
    reads = 0;
  });
  afterEach(async () => {
    await controller.stop();
    await pair.close();
  });

  it('flows where nothing has changed, after one look', async () => {
    whileReading = () => Promise.resolve();
    await offer(sized(20, { color: { type: 'string' } }));
    await eventually(async () => {
      expect((await crd()).spec).toContain('color');
    });
    expect([reads, (await crd()).writes]).toEqual([1, 1]);
  });

  it('is held once the policy is Never', async () => {
    whileReading = async () => {
      await heard(
        'consumer',
        resources.apiServiceBindings,
        undefined,
        await annotate({ [hawserAnnotations.schemaUpdate]: 'Never' }),
      );
    };
    await offer(sized(20, { color: { type: 'string' } }));
    await pair.becomes(name, 'SchemaUpdateHeld', { status: 'True', reason: 'SchemaUpdatesOff' });
    expect(await crd()).toMatchObject({ writes: 0, spec: expect.not.stringContaining('color') });
  });

  it('is not installed once the provider has taken it back', async () => {
    const before = await crd();
    const takenBack = Promise.withResolvers<undefined>();
    whileReading = async () => {
      await heard('provider', resources.boundSchemas, pair.clusterNamespace, await offer(sized(10)));
      takenBack.resolve(undefined);
    };
    await offer(sized(20, { color: { type: 'string' } }));
    await takenBack.promise;
    // One more change goes the same way, and is the only one that is written.
    await offer(sized(10, { shape: { type: 'string' } }));
    await eventually(async () => {
      expect((await crd()).spec).toContain('shape');
    });
    expect((await crd()).writes).toBe(before.writes + 1);
  });

  it('is read for one binding at a time', async () => {
    const another = `${name}-2`;
    await pair.createSchema('queues', { scope: 'Cluster', versions: [sized(10)] });
    await pair.createExport(another, ['queues']);
    await pair.bind(another);
    await pair.becomes(another, 'Ready', { status: 'True' });
    // The first one has every opportunity to meet the other.
    whileReading = async () => {
      await offerFor('queues', sized(20));
      await eventually(
        () => {
          expect(reading).toBe(2);
        },
        { timeoutMs: 2_000 },
      ).catch(() => undefined);
    };
    await offer(sized(20));
    await eventually(async () => {
      expect([(await crd()).spec, JSON.stringify((await pair.crd('queues'))?.spec)]).toEqual([
        expect.stringContaining('"maximum":20'),
        expect.stringContaining('"maximum":20'),
      ]);
    });
    expect([reads, mostAtOnce]).toEqual([2, 1]);
  });
});
