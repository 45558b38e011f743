import { beforeAll, expect } from '@jest/globals';
import { sleep, systemClock } from '@hawser/clock';
import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { cleanupFinalizer, labels } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, remote, secrets } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type AgentSystem, type ConsumerWorkspace, agentNamespace, agentUser } from './agent-system.js';
import type { ServiceObject } from './copies.js';
import { inParallel } from './in-parallel.js';
import { type Program, working } from './program.js';
import { seededRandom } from './random.js';

const CREATED = 120;
const KILLS = 5;
const SEED = Number(process.env['HAWSER_E2E_SEED'] ?? '20261104');

describeAgentSystem(
  'an agent that is killed',
  {
    name: 'agent-crash',
    rights: { publishedResources: databaseRights, relatedFromKcp: [{ group: '', resources: ['secrets'] }] },
  },
  (system, it) => {
    const { install, publish, served } = databasesOf(system);
    let agent: Program;
    let workspaces: readonly [ConsumerWorkspace, ConsumerWorkspace];

    beforeAll(async () => {
      await install();
      agent = await system().startAgent();
      await publish({
        related: [
          {
            identifier: 'credentials',
            origin: 'kcp',
            kind: 'Secret',
            object: { reference: { path: 'spec.secretName' } },
          },
        ],
      });
      workspaces = [await system().consumer('a'), await system().consumer('b')];
      await served(...workspaces);
    });

    it(`loses, doubles and deletes nothing over ${CREATED} creations, changes and deletions (seed ${SEED})`, async () => {
      const random = seededRandom(SEED);
      const wanted = new Map<string, Wanted>();
      const ended = new AbortController();
      const kills = killAtRandom(system(), agent, random, ended.signal);
      kills.catch(() => undefined); // Awaited below, when the changes are made.
      try {
        await inParallel(CREATED, 4, async (at) => {
          const { cluster, client } = workspaces[at % 2 === 0 ? 0 : 1];
          const name = `db-${at}`;
          const secretName = at % 4 < 2 ? `${name}-credentials` : undefined;
          if (secretName !== undefined)
            await client.create(secrets, {
              apiVersion: 'v1',
              kind: 'Secret',
              metadata: key(secretName),
              data: { password: 'aHVudGVyMg==' },
            } as UnstructuredObject);
          await client.create(remote, {
            apiVersion: 'kcp.example.com/v1',
            kind: 'Database',
            metadata: key(name),
            spec: { size: 'small', ...(secretName === undefined ? {} : { secretName }) },
          } as UnstructuredObject);
          let size = 'small';
          if (at % 3 === 0) {
            size = 'large';
            await client.patch(remote, key(name), { type: 'merge', patch: { spec: { size } } });
          }
          wanted.set(`${cluster}/${name}`, { size, secretName });
          // Many a one is deleted while it is being worked on.
          if (at % 5 !== 4) return;
          await client.delete(remote, key(name));
          wanted.delete(`${cluster}/${name}`);
        });
      } catch (error) {
        ended.abort();
        throw error;
      } finally {
        agent = await kills;
      }
      await eventually(
        async () => {
          await expectInStep(system(), workspaces, wanted);
        },
        { timeoutMs: 90_000, intervalMs: 500 },
      );
      const audit = system().service.controlPlane!.auditLog();
      const deletions = await audit.writes({
        user: agentUser,
        group: 'example.com',
        resource: 'databases',
        verbs: ['delete', 'deletecollection'],
        succeeded: true,
      });
      expect(
        deletions
          .map(({ namespace, name }) => `${namespace?.slice('ws-'.length) ?? ''}/${name ?? ''}`)
          .filter((deleted) => wanted.has(deleted)),
      ).toEqual([]);
      const creations = await audit.writes({
        user: agentUser,
        group: 'example.com',
        resource: 'databases',
        verbs: ['create'],
        succeeded: true,
      });
      expect(creations.length).toBeLessThanOrEqual(CREATED);
    }, 240_000);
  },
);

interface Wanted {
  readonly size: string;
  readonly secretName: string | undefined;
}

/** Kills the agent several times, after random whiles, and starts it again. Resolves with the one that lives. */
async function killAtRandom(
  system: AgentSystem,
  first: Program,
  random: () => number,
  signal: AbortSignal,
): Promise<Program> {
  let agent = first;
  for (let kill = 0; kill < KILLS && !signal.aborted; kill++) {
    await sleep(systemClock, 100 + random() * 1_200, signal).catch(() => undefined);
    await agent.stop('SIGKILL');
    agent = await system.startAgent({ wait: false });
    // Half of them are killed again before they have begun to work.
    if (random() < 0.5) await working(agent, 'syncagent works');
  }
  await working(agent, 'syncagent works');
  return agent;
}

async function expectInStep(
  { service }: AgentSystem,
  workspaces: readonly ConsumerWorkspace[],
  wanted: ReadonlyMap<string, Wanted>,
): Promise<void> {
  const copies = (await service.client.list<ServiceObject>(local)).items;
  expect(copies.map((copy) => `${originalOf(copy)} ${String(copy.spec?.['size'])}`).sort()).toEqual(
    [...wanted].map(([of, { size }]) => `${of} ${size}`).sort(),
  );
  const withSecret = [...wanted]
    .flatMap(([of, { secretName }]) =>
      secretName === undefined ? [] : [`${of.slice(0, of.indexOf('/'))}/${secretName}`],
    )
    .sort();
  const held: string[] = [];
  const objects: string[] = [];
  for (const { cluster, client } of workspaces) {
    const finalised = ({ metadata }: KubeObject): boolean => metadata.finalizers?.includes(cleanupFinalizer) === true;
    objects.push(
      ...(await client.list<ServiceObject>(remote)).items.map(
        (object) => `${cluster}/${object.metadata.name} ${String(finalised(object))}`,
      ),
    );
    held.push(
      ...(await client.list(secrets, { namespace: 'default' })).items
        .filter(finalised)
        .map(({ metadata: { name } }) => `${cluster}/${name}`),
    );
  }
  expect(objects.sort()).toEqual([...wanted.keys()].map((of) => `${of} true`).sort());
  expect(held.sort()).toEqual(withSecret);
  const related = (await service.client.list(secrets)).items.filter(({ metadata: { namespace = '' } }) =>
    namespace.startsWith('ws-'),
  );
  expect(related.map(originalOf).sort()).toEqual(withSecret);
  const states = await service.client.list(secrets, {
    namespace: agentNamespace,
    labelSelector: `${labels.objectState}=true`,
  });
  expect(states.items).toHaveLength(wanted.size);
}

/** Logical cluster and name of what a copy is of. */
function originalOf({ metadata: { namespace = '', name } }: KubeObject): string {
  return `${namespace.slice('ws-'.length)}/${name}`;
}
