import { afterAll, beforeAll, expect } from '@jest/globals';
import type { ObjectKey } from '@hawser/client';
import { type FaultProxy, createFaultProxy } from '@hawser/faultproxy';
import { databases } from '@hawser/installation';
import { annotations } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import {
  LONG,
  type ServiceObject,
  copyKey,
  createNamespace,
  gone,
  hasSyncerFinalizer,
  objectOf,
  report,
  resourceOf,
  synced,
} from './copies.js';
import type { Side } from './plane.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, ready } from './system.js';
import { mark, settledWrites } from './writes.js';

const resource = resourceOf(databases);
const NAMESPACE = 'team-a';

interface Pair {
  readonly object: ServiceObject | undefined;
  readonly copy: ServiceObject | undefined;
}

/** The instant at which the process dies: a write of its own has been carried out, and it has not heard of that. */
interface KillPoint {
  readonly title: string;
  readonly side: Side;
  readonly method: string;
  /** Which write of that method and path it is, counted from when the trap is set. Default 1. */
  readonly at?: number;
  /** Path after the resource; default: the object itself. */
  readonly path?: (name: string) => string;
  /** What the user or the operator does that leads there. Default: the object is created. */
  readonly begin?: (key: ObjectKey) => Promise<void>;
  /** Whether death has come where it should. */
  readonly found: (pair: Pair) => void;
  /** What becomes of it once another process works. Default: `kept`. */
  readonly end?: 'kept' | 'deleted';
}

const REPORTED = { phase: 'Ready', endpoint: 'db.example.com:5432' };
const CHANGED = { size: 'large', replicas: 2 };

describeSystem(
  'a konnector that is killed at one point after another',
  () => ({ name: 'kill-points' }),
  (system, it) => {
    const proxies: Partial<Record<Side, FaultProxy>> = {};
    let bound: BoundApi;
    let konnector: Program;
    let bystanders: readonly Pair[];

    const proxyOf = (side: Side): FaultProxy => {
      const proxy = proxies[side];
      if (proxy === undefined) throw new Error(`there is no proxy before the ${side}`);
      return proxy;
    };
    const start = async (): Promise<Program> => system().startKonnector({ connection: proxyOf('consumer').connection });
    const pairOf = async (key: ObjectKey): Promise<Pair> => ({
      object: await system().consumer.find<ServiceObject>(resource, key),
      copy: await system().provider.find<ServiceObject>(resource, copyKey(bound, key)),
    });
    const bystander = (at: number): ObjectKey => ({ namespace: NAMESPACE, name: `bystander-${at}` });
    const create = async (key: ObjectKey): Promise<void> => {
      await system().consumer.client.create(resource, objectOf(databases, key));
    };

    beforeAll(async () => {
      for (const side of ['consumer', 'provider'] as const)
        proxies[side] = await createFaultProxy({ upstream: system()[side].connection });
      konnector = await start();
      await createNamespace(system(), NAMESPACE);
      bound = await system().bind({ name: 'databases', apis: [databases], connection: proxyOf('provider').connection });
      await ready(system(), 'databases');
      for (const at of [1, 2, 3]) {
        await eventually(() => create(bystander(at)), LONG);
        await synced(system(), bound, databases, bystander(at));
      }
      bystanders = await Promise.all([1, 2, 3].map((at) => pairOf(bystander(at))));
    }, 240_000);
    afterAll(async () => {
      await Promise.all(Object.values(proxies).map((proxy) => proxy.stop()));
    });

    const points: readonly KillPoint[] = [
      {
        title: 'the finalizer is on the object',
        side: 'consumer',
        method: 'PATCH',
        found: ({ object, copy }) => {
          expect({ finalizer: object !== undefined && hasSyncerFinalizer(object), copy }).toEqual({
            finalizer: true,
            copy: undefined,
          });
        },
      },
      {
        title: 'the copy is made',
        side: 'provider',
        method: 'POST',
        path: () => '',
        found: ({ object, copy }) => {
          expect(copy?.metadata.annotations?.[annotations.consumerUID]).toBe(object?.metadata.uid);
          expect(object?.metadata.annotations ?? {}).not.toHaveProperty([annotations.providerUID]);
        },
      },
      {
        title: 'the consumer knows the place of its copy',
        side: 'consumer',
        method: 'PATCH',
        at: 2,
        found: ({ object, copy }) => {
          expect(object?.metadata.annotations?.[annotations.providerUID]).toBe(copy?.metadata.uid ?? 'no copy');
        },
      },
      {
        title: 'a change has reached the copy',
        side: 'provider',
        method: 'PATCH',
        begin: async (key) => {
          await system().consumer.client.patch(resource, key, { type: 'merge', patch: { spec: CHANGED } });
        },
        found: ({ copy }) => {
          expect(copy?.spec).toEqual(CHANGED);
        },
      },
      {
        title: 'a status has reached the object',
        side: 'consumer',
        method: 'PUT',
        path: (name) => `/${name}/status`,
        begin: async (key) => {
          await report(system(), bound, databases, key, REPORTED);
        },
        found: ({ object }) => {
          expect(object?.status).toEqual(REPORTED);
        },
      },
      {
        title: 'the copy of a deleted object is deleted',
        side: 'provider',
        method: 'DELETE',
        begin: async (key) => {
          await system().consumer.client.delete(resource, key);
        },
        found: ({ object, copy }) => {
          expect(object?.metadata.deletionTimestamp).toBeDefined();
          expect({ finalizer: object !== undefined && hasSyncerFinalizer(object), copy }).toEqual({
            finalizer: true,
            copy: undefined,
          });
        },
        end: 'deleted',
      },
      {
        title: 'the finalizer is off a deleted object',
        side: 'consumer',
        method: 'PATCH',
        begin: async (key) => {
          await system().consumer.client.delete(resource, key);
        },
        found: (pair) => {
          expect(pair).toEqual({ object: undefined, copy: undefined });
        },
        end: 'deleted',
      },
    ];

    for (const [
      index,
      { title, side, method, at = 1, path = (name: string) => `/${name}`, begin = create, found, end = 'kept' },
    ] of points.entries()) {
      it.ownClusters(`when ${title}`, async () => {
        const key = { namespace: NAMESPACE, name: `db-${index}` };
        if (begin !== create) {
          await create(key);
          await synced(system(), bound, databases, key);
        }
        const before = await pairOf(key);
        const since = await mark(system());
        let seen = 0;
        const dead = Promise.withResolvers<undefined>();
        const trap = proxyOf(side).inject({
          match: { method, path: new RegExp(`/databases${path(key.name)}(?:\\?|$)`, 'u') },
          fault: {
            kind: 'hold',
            until: async () => {
              if (++seen !== at) return;
              await konnector.stop('SIGKILL');
              dead.resolve(undefined);
            },
          },
        });
        await begin(key);
        await dead.promise;
        trap.remove();
        found(await pairOf(key));

        konnector = await start();
        if (end === 'deleted') {
          await gone(() => system().consumer.find(resource, key));
          expect(await pairOf(key)).toEqual({ object: undefined, copy: undefined });
        } else {
          await eventually(async () => {
            const { object, copy } = await pairOf(key);
            expect(copy).toMatchObject({
              spec: object?.spec,
              metadata: { annotations: { [annotations.consumerUID]: object?.metadata.uid } },
            });
            expect(object?.metadata.annotations?.[annotations.providerUID]).toBe(copy?.metadata.uid);
            expect(object).toMatchObject({
              metadata: { finalizers: [expect.any(String)] },
              ...(copy?.status === undefined ? {} : { status: copy.status }),
            });
          }, LONG);
          const after = await pairOf(key);
          if (before.copy !== undefined) expect(after.copy?.metadata.uid).toBe(before.copy.metadata.uid);
        }
        const writes = await settledWrites(system(), since, 1_000);
        const ofCopies = (verb: string): readonly string[] =>
          writes.filter((write) => write.startsWith(`provider: ${verb} databases `));
        const copyKey = `${bound.clusterNamespace}-${NAMESPACE}/${key.name}`;
        // Once each, however often the process died over it, and nothing else was made or deleted.
        expect(ofCopies('create')).toEqual(
          before.copy === undefined ? [`provider: create databases ${copyKey} 201`] : [],
        );
        expect(ofCopies('delete')).toEqual(end === 'deleted' ? [`provider: delete databases ${copyKey} 200`] : []);
        expect(await Promise.all([1, 2, 3].map((one) => pairOf(bystander(one))))).toEqual(bystanders);
      });
    }
  },
);
