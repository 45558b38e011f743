import { beforeAll, expect } from '@jest/globals';
import { sleep, systemClock } from '@hawser/clock';
import { databases } from '@hawser/installation';
import { annotations } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { LONG, type ServiceObject, createNamespace, hasSyncerFinalizer, objectOf, resourceOf } from './copies.js';
import { inParallel } from './in-parallel.js';
import { type Program, working } from './program.js';
import { seededRandom } from './random.js';
import { describeSystem } from './suite.js';
import { type BoundApi, type System, ready } from './system.js';
import { mark, settledWrites } from './writes.js';

const resource = resourceOf(databases);
const NAMESPACE = 'team-a';
const CREATED = 500;
const KILLS = 5;
const SEED = Number(process.env['HAWSER_E2E_SEED'] ?? '20260419');

describeSystem(
  'a konnector that is killed',
  () => ({ name: 'crash' }),
  (system, it) => {
    let bound: BoundApi;
    let konnector: Program;
    beforeAll(async () => {
      konnector = await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      bound = await system().bind({ name: 'databases', apis: [databases] });
      await ready(system(), 'databases');
      await eventually(() => system().consumer.client.list(resource, { limit: 1 }), LONG);
    }, 240_000);

    it.ownClusters(
      `loses, doubles and deletes nothing over ${CREATED} creations, changes and deletions (seed ${SEED})`,
      async () => {
        const random = seededRandom(SEED);
        const { client } = system().consumer;
        const name = (at: number): string => `db-${String(at).padStart(3, '0')}`;
        const wanted = new Map<string, string>();
        const ended = new AbortController();
        const interrupted = new Map<Phase, number>();
        const kills = killAtRandom(system(), konnector, random, interrupted, ended.signal);
        kills.catch(() => undefined); // Awaited below, when the changes are made.
        try {
          // 500 creations, and every third object is changed, every fifth deleted while it may not even have a copy yet.
          await inParallel(CREATED, 8, async (at) => {
            await client.create(
              resource,
              objectOf(databases, { namespace: NAMESPACE, name: name(at) }, { size: 'small', replicas: at % 9 }),
            );
            wanted.set(name(at), 'small');
            if (at % 3 === 0) {
              await client.patch(
                resource,
                { namespace: NAMESPACE, name: name(at) },
                { type: 'merge', patch: { spec: { size: 'large' } } },
              );
              wanted.set(name(at), 'large');
            }
            const gone = at - 40;
            if (gone >= 0 && gone % 5 === 0) {
              await client.delete(resource, { namespace: NAMESPACE, name: name(gone) });
              wanted.delete(name(gone));
            }
          });
        } catch (error) {
          ended.abort();
          throw error;
        } finally {
          konnector = await kills;
        }
        process.stderr.write(
          `objects by what the killed konnector had last done to them: ${[...interrupted].map(([phase, count]) => `${phase} ${count}`).join(', ')}\n`,
        );
        expect(
          [...interrupted.keys()].filter((phase) => phase !== 'in step' && phase !== 'untouched').length,
        ).toBeGreaterThanOrEqual(2);
        const isReportedOrphan = (name: string): boolean =>
          system().logs().includes(`object=${NAMESPACE}/${name} reason=Orphaned`);
        const orphans = await eventually(() => expectInStep(system(), bound, wanted, isReportedOrphan), {
          timeoutMs: 120_000,
          intervalMs: 1_000,
        });
        // Of an object that an API server deletes in spite of its finalizer, while nobody is there to see it, nothing can be proven any more.
        expect(orphans.length).toBeLessThanOrEqual(KILLS);
        // The provider has seen as many deletions as were asked for, and no copy was made twice.
        const audit = system().provider.controlPlane!.auditLog();
        const deletions = await audit.writes({
          userAgent: 'hawser-konnector',
          resource: 'databases',
          verbs: ['delete', 'deletecollection'],
          succeeded: true,
        });
        const deleted = new Set(deletions.map((write) => write.name));
        expect([...deleted].filter((one) => wanted.has(one ?? ''))).toEqual([]);
        const creations = await audit.writes({
          userAgent: 'hawser-konnector',
          resource: 'databases',
          verbs: ['create'],
          succeeded: true,
        });
        expect(creations.length).toBeLessThanOrEqual(CREATED);

        const since = await mark(system());
        expect(await settledWrites(system(), since)).toEqual([]);
      },
      300_000,
    );

    it.ownClusters('leaves no copy behind of objects that are deleted as soon as they are created', async () => {
      const random = seededRandom(SEED);
      const { client } = system().consumer;
      const before = (await system().provider.client.list(resource)).items.length;
      const asked = await mark(system());
      // Many a DELETE is under way while the finalizer is added; the API server then deletes the object in spite of it.
      await inParallel(300, 8, async (at) => {
        const name = `brief-${at}`;
        await client.create(
          resource,
          objectOf(databases, { namespace: NAMESPACE, name }, { size: 'small', replicas: 1 }),
        );
        await sleep(systemClock, random() * 15);
        await client.delete(resource, { namespace: NAMESPACE, name });
      });
      const brief = ({ metadata: { name } }: ServiceObject): boolean => name.startsWith('brief-');
      await eventually(async () => {
        expect((await client.list<ServiceObject>(resource)).items.filter(brief)).toEqual([]);
      }, LONG);
      await eventually(async () => {
        expect((await system().provider.client.list<ServiceObject>(resource)).items.filter(brief)).toEqual([]);
      }, LONG);
      // The konnector may hear of the last ones later than we, and ask once more for objects that are gone.
      await settledWrites(system(), asked);
      const since = await mark(system());
      expect(await settledWrites(system(), since)).toEqual([]);
      expect((await system().provider.client.list(resource)).items).toHaveLength(before);
    });

    it.ownClusters('costs no write when it starts again over objects in step, nor while it idles', async () => {
      const count = (await system().consumer.client.list(resource)).items.length;
      expect(count).toBeGreaterThan(300);
      const since = await mark(system());
      await konnector.stop();
      konnector = await system().startKonnector();
      await ready(system(), 'databases');
      await eventually(() => konnector.log().includes('sync started'), LONG);
      expect(await settledWrites(system(), since, 5_000)).toEqual([]);

      // That it wrote nothing shows something only if it is at work.
      await system().consumer.client.patch(
        resource,
        { namespace: NAMESPACE, name: 'db-001' },
        { type: 'merge', patch: { spec: { size: 'medium' } } },
      );
      await eventually(async () => {
        expect(
          (
            await system().provider.client.get<ServiceObject>(resource, {
              namespace: `${bound.clusterNamespace}-${NAMESPACE}`,
              name: 'db-001',
            })
          ).spec?.['size'],
        ).toBe('medium');
      }, LONG);
      expect(await settledWrites(system(), since)).toEqual([
        `provider: patch databases ${bound.clusterNamespace}-${NAMESPACE}/db-001 200`,
      ]);
    });
  },
);

/** Kills the konnector several times, after random whiles, and starts it again under the same name. Resolves with the one that lives. */
async function killAtRandom(
  system: System,
  first: Program,
  random: () => number,
  interrupted: Map<Phase, number>,
  signal: AbortSignal,
): Promise<Program> {
  let konnector = first;
  for (let kill = 0; kill < KILLS && !signal.aborted; kill++) {
    await sleep(systemClock, 300 + random() * 2_500, signal).catch(() => undefined);
    await konnector.stop('SIGKILL');
    for (const phase of await phases(system)) interrupted.set(phase, (interrupted.get(phase) ?? 0) + 1);
    konnector = await system.startKonnector({ wait: false });
    // Half of them are killed again before they have begun to work.
    if (random() < 0.5) await working(konnector, 'konnector works');
  }
  await working(konnector, 'konnector works');
  return konnector;
}

/** How far a konnector has come with an object. */
type Phase = 'untouched' | 'finalizer' | 'copy' | 'deletion' | 'copy deleted' | 'change due' | 'in step';

/** Of every object while no konnector runs. Users go on meanwhile, so an object may look less far than it was at the kill. */
async function phases(system: System): Promise<readonly Phase[]> {
  const copies = new Map(
    (await system.provider.client.list<ServiceObject>(resource)).items.map((copy) => [
      copy.metadata.annotations?.[annotations.consumerUID],
      copy,
    ]),
  );
  const objects = (await system.consumer.client.list<ServiceObject>(resource, { namespace: NAMESPACE })).items;
  return objects.map((object): Phase => {
    const copy = copies.get(object.metadata.uid);
    if (!hasSyncerFinalizer(object)) return 'untouched';
    if (object.metadata.deletionTimestamp !== undefined) return copy === undefined ? 'copy deleted' : 'deletion';
    if (copy === undefined) return 'finalizer';
    if (object.metadata.annotations?.[annotations.providerUID] !== copy.metadata.uid) return 'copy';
    return copy.spec?.['size'] === object.spec?.['size'] ? 'in step' : 'change due';
  });
}

/** Resolves to the copies without an object: a konnector keeps one only where it has told so. */
async function expectInStep(
  system: System,
  bound: BoundApi,
  wanted: ReadonlyMap<string, string>,
  isReportedOrphan: (name: string) => boolean,
): Promise<readonly string[]> {
  const objects = (await system.consumer.client.list<ServiceObject>(resource, { namespace: NAMESPACE })).items;
  const copies = (await system.provider.client.list<ServiceObject>(resource)).items;
  const names = [...wanted.keys()].sort();
  expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual(names);
  const orphans = copies
    .map(({ metadata }) => metadata.name)
    .filter((name) => !wanted.has(name) && isReportedOrphan(name));
  const rest = copies.filter(({ metadata }) => !orphans.includes(metadata.name));
  expect(rest.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`).sort()).toEqual(
    names.map((name) => `${bound.clusterNamespace}-${NAMESPACE}/${name}`),
  );
  const copyOf = new Map(copies.map((copy) => [copy.metadata.name, copy]));
  for (const object of objects) {
    const copy = copyOf.get(object.metadata.name);
    expect(object.spec?.['size']).toBe(wanted.get(object.metadata.name));
    expect(copy?.spec).toEqual(object.spec);
    expect(copy?.metadata.annotations?.[annotations.consumerUID]).toBe(object.metadata.uid);
    expect(object.metadata.annotations?.[annotations.providerUID]).toBe(copy?.metadata.uid);
    expect(hasSyncerFinalizer(object)).toBe(true);
  }
  return orphans;
}
