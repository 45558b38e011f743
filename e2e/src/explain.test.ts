import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { KubeObject } from '@hawser/client';
import { type SampleApi, databases } from '@hawser/installation';
import { parse as parseJson } from '@hawser/json';
import { fixedNames, resources } from '@hawser/kube-bind';
import { eventually } from '@hawser/testenv';
import { beforeAll, expect } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { type Ended, runCommand } from './command.js';
import { LONG, copyKey, createNamespace, objectOf, resourceOf, synced } from './copies.js';
import type { Program } from './program.js';
import { describeSystem } from './suite.js';
import { type BoundApi, executables, ready } from './system.js';
import { mark } from './writes.js';

const NAMESPACE = 'team-a';
const OF_A_USER = 'swordfish-of-a-user';
const api: SampleApi = databases;

describeSystem(
  'plan, why, tree and rbac say what is the case, and write nothing',
  () => ({ name: 'explain' }),
  (system, it) => {
    let bound: BoundApi;
    let konnector: Program;
    let before: Awaited<ReturnType<typeof mark>>;
    /** By all commands. */
    const outputs: string[] = [];

    beforeAll(async () => {
      konnector = await system().startKonnector();
      await createNamespace(system(), NAMESPACE);
      bound = await system().bind({ name: 'databases', apis: [api] });
      await ready(system(), 'databases');
      await eventually(() => system().consumer.client.list(resourceOf(api), { limit: 1 }), LONG);
      before = await mark(system());
    }, 240_000);

    /** With nothing but the consumer's kubeconfig. */
    const hawser = async (...args: readonly string[]): Promise<Ended> => {
      const ended = await runCommand(
        executables.hawser,
        [...args, `--kubeconfig=${system().consumer.kubeconfigFile}`],
        60_000,
      );
      outputs.push(ended.out, ended.err);
      return ended;
    };
    /** Conditions may be under way for a moment after the objects. */
    const nothingIsPlanned = (): Promise<void> =>
      eventually(async () => {
        expect(await hawser('plan', '-o', 'json')).toMatchObject({ code: 0 });
      }, LONG);
    const create = async (name: string): Promise<void> => {
      await system().consumer.client.create(resourceOf(api), objectOf(api, { namespace: NAMESPACE, name }));
    };

    it('everything is in step', async () => {
      await create('fine');
      await synced(system(), bound, api, { namespace: NAMESPACE, name: 'fine' });
      await nothingIsPlanned();
      const one = await hawser('why', 'database', 'fine', '-n', NAMESPACE);
      expect(one).toMatchObject({ code: 0, out: expect.stringContaining(`Database ${NAMESPACE}/fine is in step.`) });
      const tree = await hawser('tree');
      expect(tree).toMatchObject({ code: 0, err: '' });
      expect(tree.out).toMatch(
        /provider https:\S+, cluster namespace kube-bind-databases {2}\[ok\] last heartbeat \d+ s ago\n└─ binding databases {2}\[ok\].*\n {3}└─ export databases, isolation Prefixed\n {6}└─ resource databases\.\S+ v1, ServiceNamespace {2}\[ok\] {2}1 in step/u,
      );
      expect(await hawser('why', '--all')).toMatchObject({ code: 0, out: '1 of 1 object in step.\n' });
    });

    it('an object that is held says by what, since when, and who must act', async () => {
      const key = { namespace: NAMESPACE, name: 'taken' };
      await system().provider.client.create(resourceOf(api), objectOf(api, copyKey(bound, key)));
      await create('taken');
      const held = await eventually(async () => {
        const answer = await hawser('why', 'Database', `${NAMESPACE}/taken`, '-o', 'json');
        if (!answer.out.includes('"since"')) throw new Error(answer.out);
        return answer;
      }, LONG);
      expect(held.code).toBe(1);
      expect(parseJson(held.out)).toMatchObject({
        standing: 'held',
        subjects: [
          {
            name: `Database ${NAMESPACE}/taken`,
            reason: 'ForeignCopy',
            actor: 'consumer',
            since: expect.stringMatching(/^20/u),
          },
        ],
      });
      const all = await hawser('why', '--all');
      expect(all).toMatchObject({
        code: 1,
        out: expect.stringMatching(/Database team-a\/taken +ForeignCopy +consumer +20/u),
      });
      await system().provider.client.delete(resourceOf(api), copyKey(bound, key));
      await system().consumer.client.delete(resourceOf(api), key);
    });

    it('a plan is what the next konnector does', async () => {
      await nothingIsPlanned();
      await konnector.stop();
      await system().consumer.client.patch(
        resourceOf(api),
        { namespace: NAMESPACE, name: 'fine' },
        { type: 'merge', patch: { spec: { size: 'large' } } },
      );
      const copy = copyKey(bound, { namespace: NAMESPACE, name: 'fine' });
      const plan = await hawser('plan', '-o', 'diff', '--dry-run=server');
      expect(plan.code).toBe(1);
      expect(plan.out).toContain(`patch databases.${api.group} ${copy.namespace ?? ''}/fine on the provider\n`);
      expect(plan.out).toContain('  - spec.size: "small"\n  + spec.size: "large"\n');
      expect(plan.out).toMatch(/\n0 to write on the consumer, 1 on the provider\.\n$/u);
      expect(await system().provider.client.get(resourceOf(api), copy)).toMatchObject({ spec: { size: 'small' } });
      konnector = await system().startKonnector();
      await eventually(async () => {
        expect(await system().provider.client.get(resourceOf(api), copy)).toMatchObject({ spec: { size: 'large' } });
      }, LONG);
      await nothingIsPlanned();
    });

    it('what is paused is held back, and visible', async () => {
      const key = { namespace: NAMESPACE, name: 'fine' };
      const annotate = (value: string | null): Promise<unknown> =>
        system().consumer.client.patch(resourceOf(api), key, {
          type: 'merge',
          patch: {
            metadata: { annotations: { 'hawser.dev/paused': value } },
            ...(value === null ? {} : { spec: { size: 'medium' } }),
          },
        });
      await annotate('maintenance');
      expect(await hawser('why', 'databases', 'fine', '-n', NAMESPACE)).toMatchObject({
        code: 1,
        out: expect.stringContaining('maintenance'),
      });
      expect((await hawser('plan', '-o', 'diff')).out).toMatch(
        /held back: patch databases\S* \S+ on the provider\n(?: {2}.*\n)*? {2}- spec\.size: "large"\n {2}\+ spec\.size: "medium"/u,
      );
      await annotate(null);
    });

    it('the rights that are printed are those that the chart gives', async () => {
      const printed = await hawser('rbac', `--service-account=${fixedNames.konnectorNamespace}/konnector`);
      expect(printed.err).toBe('');
      expect(printed.out).toContain(`# ServiceAccount ${fixedNames.konnectorNamespace}/konnector has all of it.`);
      const roles = parseAllDocuments(printed.out).map(
        (document) => document.toJS() as { kind: string; metadata: { name: string } },
      );
      expect(roles.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
        expect.arrayContaining([
          'ClusterRole hawser-bound-databases',
          'Role hawser-kubeconfig-databases',
          'Role kube-binder-databases',
        ]),
      );
      expect(printed.code).toBe(0);
      const withoutRights = await hawser('rbac', '--service-account=default/nobody');
      expect(withoutRights.code).toBe(1);
      expect(withoutRights.out).toContain(`#   in the whole cluster: update databases/status.${api.group}`);
    });

    it('what is not there is said in words', async () => {
      expect(await hawser('why', 'frob', 'x')).toMatchObject({
        code: 2,
        err: `no bound API is called frob; there are: databases.${api.group}\n`,
      });
      expect(await hawser('why', 'database', 'nowhere', '-n', NAMESPACE)).toMatchObject({
        code: 1,
        out: expect.stringContaining('There is no Database team-a/nowhere'),
      });
    });

    it('a support bundle has both sides, with nothing left unread, and nothing of users or secret', async () => {
      await system().consumer.client.patch(
        resourceOf(api),
        { namespace: NAMESPACE, name: 'fine' },
        { type: 'merge', patch: { metadata: { annotations: { note: OF_A_USER } } } },
      );
      await system().consumer.client.create(resources.secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: NAMESPACE, name: 'own' },
        data: { password: Buffer.from(OF_A_USER).toString('base64') },
      } as KubeObject);
      const folder = join(mkdtempSync(join(tmpdir(), 'hawser-bundle-')), 'bundle');
      const { code, err } = await hawser(
        'support-bundle',
        `--provider-kubeconfig=${system().provider.kubeconfigFile}`,
        `--output=${folder}`,
      );
      try {
        expect({ code, err }).toMatchObject({ code: 0 });
        const texts = new Map(
          readdirSync(folder, { recursive: true, withFileTypes: true })
            .filter((entry) => entry.isFile())
            .map(({ parentPath, name }) => join(parentPath, name))
            .map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
        );
        outputs.push(...texts.values());
        const manifest = parseJson(texts.get('manifest.json') ?? '');
        expect(manifest).toMatchObject({ clusters: [{ reached: true }, { reached: true }], unread: [], dropped: [] });
        const all = [...texts.values()].join('\n');
        expect(all).not.toContain(OF_A_USER);
        expect(all).not.toContain(Buffer.from(OF_A_USER).toString('base64'));
      } finally {
        rmSync(dirname(folder), { recursive: true, force: true });
      }
    }, 120_000);

    it.ownClusters('nothing of it was written, and no credential shown', async () => {
      const logs = await Promise.all(
        (['consumer', 'provider'] as const).map(
          async (side) =>
            system()[side].controlPlane?.auditLog().entries({ since: before[side], userAgent: 'hawser-explain' }) ?? [],
        ),
      );
      expect(logs.flat().length).toBeGreaterThan(50);
      expect(logs.flat().filter(({ write }) => write)).toEqual([]);
      const token = (parse(bound.kubeconfig) as { users: { user: { token: string } }[] }).users[0]!.user.token;
      expect(outputs.join('\n')).not.toContain(token);
    });
  },
);
