import { eventually, settled } from '@hawser/testenv';
import { beforeAll, expect, it as jestIt } from '@jest/globals';
import { databaseRights, databasesOf, key, local, remote } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import type { ConsumerWorkspace } from './agent-system.js';
import { LONG, type ServiceObject } from './copies.js';
import { inParallel } from './in-parallel.js';
import { previousRelease } from './previous-release.js';
import type { Program } from './program.js';

const { version, folder: release, missing } = previousRelease;
const RESTING = 1_000;
const CHANGING = 10;

if (missing !== undefined) jestIt.skip(`an agent that is upgraded from ${version}: ${missing}`, () => undefined);
else
  describeAgentSystem(
    `an agent that is upgraded from ${version}, and back`,
    { name: 'agent-upgrade', rights: { publishedResources: databaseRights } },
    (system, it) => {
      const { install, publish, served, create } = databasesOf(system);
      let agent: Program;
      let workspaces: readonly [ConsumerWorkspace, ConsumerWorkspace];
      let uids: ReadonlyMap<string, string | undefined>;

      const of = (at: number): ConsumerWorkspace => workspaces[at % 2 === 0 ? 0 : 1];
      const copies = async (): Promise<readonly ServiceObject[]> =>
        (await system().service.client.list<ServiceObject>(local)).items;
      const uidsNow = async (): Promise<ReadonlyMap<string, string | undefined>> =>
        new Map((await copies()).map(({ metadata }) => [`${metadata.namespace ?? ''}/${metadata.name}`, metadata.uid]));
      const inStep = async (): Promise<void> => {
        const wanted: Record<string, unknown> = {};
        for (const { client, cluster } of workspaces)
          for (const { metadata, spec } of (await client.list<ServiceObject>(remote)).items)
            wanted[`ws-${cluster}/${metadata.name}`] = spec;
        expect(Object.keys(wanted)).toHaveLength(RESTING + CHANGING);
        const found = (await copies()).map(
          ({ metadata, spec }) => [`${metadata.namespace ?? ''}/${metadata.name}`, spec] as const,
        );
        expect(Object.fromEntries(found)).toEqual(wanted);
      };
      const whileChanging = async (step: () => Promise<void>): Promise<void> => {
        const done = new AbortController();
        let at = 0;
        const churn = (async () => {
          while (!done.signal.aborted) {
            const patch = { spec: { replicas: at % 9 } };
            await of(at).client.patch(remote, key(`changes-${at % CHANGING}`), { type: 'merge', patch });
            at++;
          }
        })();
        try {
          await step();
        } finally {
          done.abort();
        }
        await churn;
        expect(at).toBeGreaterThan(0);
      };

      beforeAll(async () => {
        await install();
        agent = await system().startAgent({ release });
        await publish();
        workspaces = [await system().consumer('a'), await system().consumer('b')];
        await served(...workspaces);
        await inParallel(RESTING + CHANGING, 4, async (at) => {
          await create(of(at), at < RESTING ? `rests-${at}` : `changes-${at - RESTING}`);
        });
        await eventually(inStep, { timeoutMs: 120_000, intervalMs: 250 });
        uids = await uidsNow();
      }, 300_000);

      const steps: readonly (readonly [string, () => Promise<Program>])[] = [
        ['today', () => system().startAgent()],
        ['before, again', () => system().startAgent({ release })],
      ];
      for (const [title, start] of steps)
        it(`of ${title}: nothing is lost, doubled or deleted, and each resting object is written once at most`, async () => {
          const audit = system().service.controlPlane!.auditLog();
          const since = await audit.mark();
          await whileChanging(async () => {
            await agent.stop();
            agent = await start();
          });
          await eventually(inStep, { timeoutMs: 120_000, intervalMs: 250 });
          const writes = await settled(
            async () =>
              (await audit.writes({ since, user: system().user })).filter(
                ({ name }) => name?.startsWith('rests-') === true,
              ),
            { quiet: 1, intervalMs: 3_000, timeoutMs: 60_000 },
          );
          const names = writes.map(({ namespace, name }) => `${namespace ?? ''}/${name ?? ''}`);
          expect(new Set(names).size).toBe(names.length);
          process.stderr.write(`${names.length} of ${RESTING} resting copies were written\n`);
          expect(await uidsNow()).toEqual(uids);
        });

      it('deletes with the last what the first has made', async () => {
        const { client, cluster } = of(0);
        await client.delete(remote, key('rests-0'));
        await eventually(async () => {
          expect(await system().service.find(local, { namespace: `ws-${cluster}`, name: 'rests-0' })).toBeUndefined();
        }, LONG);
        await agent.stop();
      });
    },
  );
