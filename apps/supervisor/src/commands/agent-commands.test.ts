import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type AgentWorld, EXPORT, crontabs, publish, startAgentWorld } from '@hawser/agent-world';
import { type ApiServer, type Listener, createApiServer, listen } from '@hawser/apiserver';
import type { Resource, UnstructuredObject } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { resources } from '@hawser/syncagent-api';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { eventually, kubeconfigText } from '@hawser/testenv';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { parseConfig } from '@hawser/config';
import { createSyncagentRole } from '../syncagent-role.js';
import { readPlan } from './plan.js';
import { readWhy } from './why.js';

const crds: Resource = { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' };
const crontab: Resource = { group: 'example.com', version: 'v1', resource: 'crontabs' };
const core = (resource: string): Resource => ({ group: '', version: 'v1', resource });
const EVERYTHING = [
  crontab,
  resources.publishedResources,
  ...['secrets', 'namespaces', 'events', 'configmaps'].map(core),
];

describe('plan and why of an agent', () => {
  let folder: string;
  let server: ApiServer;
  let listener: Listener;
  let world: AgentWorld;
  let agents: (() => Promise<void>)[];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hawser-agent-'));
    server = createApiServer();
    listener = await listen(server);
    const connection = {
      server: listener.url,
      caData: listener.authority,
      credentials: { kind: 'token' as const, token: server.adminToken },
    };
    world = await startAgentWorld({ service: connection });
    agents = [];
    writeFileSync(join(folder, 'service'), kubeconfigText('service', connection));
    writeFileSync(join(folder, 'kcp'), world.kcp.kubeconfig('root:provider'));
    await world.service.create(core('namespaces'), {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'agents' },
    });
    await world.service.create(crds, crontabs());
  });
  afterEach(async () => {
    for (const stop of agents) await stop();
    await world.close();
    await listener.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const hawser = async (
    read: typeof readPlan,
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string }> => {
    const task = read([
      '--roles',
      'syncagent',
      ...args,
      '--kubeconfig',
      join(folder, 'service'),
      '--kcp-kubeconfig',
      join(folder, 'kcp'),
      '--apiexportendpointslice-ref',
      EXPORT,
      '--agent-namespace',
      'agents',
      '--agent-name',
      'tabs',
      '--adoption',
      'Refuse',
    ]);
    if (typeof task === 'string') throw new Error(task);
    let out = '';
    const code = await task({
      out: (text) => {
        out += text;
      },
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    });
    return { code, out };
  };
  /** The same agent, for good; resolves to its end. */
  const startAgent = async (): Promise<() => Promise<void>> => {
    const { syncagent } = parseConfig(
      {
        roles: ['syncagent'],
        syncagent: {
          kubeconfig: join(folder, 'service'),
          agents: [
            { kcpKubeconfig: join(folder, 'kcp'), endpointSlice: EXPORT, namespace: 'agents', agentName: 'tabs' },
          ],
        },
      },
      'test',
    );
    const [agent] = syncagent.agents;
    if (agent === undefined) throw new Error('no agent');
    const ending = new AbortController();
    const role = await createSyncagentRole(syncagent, agent, {
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
      version: 'v0',
      env: {},
    });
    const ran = role.run(ending.signal);
    const stop = async (): Promise<void> => {
      ending.abort();
      await ran;
    };
    agents.push(stop);
    return stop;
  };
  /** Names and versions of all that an agent could write, on both sides. */
  const versions = async (): Promise<string> => {
    const workspaces = ['root:team', 'root:crew'].map((path) => world.workspace(path));
    const lists = await Promise.all([
      ...EVERYTHING.map((resource) => world.service.list(resource)),
      ...workspaces.flatMap((client) =>
        EVERYTHING.filter(({ group }) => group !== resources.publishedResources.group).map((resource) =>
          client.list(resource).catch(() => ({ items: [] })),
        ),
      ),
    ]);
    const lines = lists.flatMap(({ items }) =>
      items.map(
        ({ kind, metadata }) =>
          `${kind} ${metadata.namespace ?? ''}/${metadata.name} ${metadata.resourceVersion ?? ''}`,
      ),
    );
    return [await world.versions(), ...lines].join('\n');
  };
  const unchanged = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = await versions();
    const result = await work();
    expect(await versions()).toBe(before);
    return result;
  };
  const exported = (): Promise<void> =>
    eventually(async () => {
      expect((await world.export()).spec?.resources).toHaveLength(1);
    });
  /** Binds the export, and waits until its resource is served there. */
  const bind = async (path: string): Promise<string> => {
    const { name } = await world.bind(path);
    await eventually(() => world.workspace(path).list(crontab));
    return name;
  };
  const tab = (name: string, spec: object = { cronSpec: '* * * * *' }): UnstructuredObject => ({
    apiVersion: 'example.com/v1',
    kind: 'CronTab',
    metadata: { name, namespace: 'default' },
    spec,
  });
  const published = (): Promise<unknown> =>
    world.service.create(
      resources.publishedResources,
      publish('tabs', { naming: { namespace: 'copies', name: '{{ .Object.metadata.name }}' } }),
    );

  it('a plan lists schemas, export and status of what is not published yet, and does none of it', async () => {
    await published();
    const { code, out } = await unchanged(() => hawser(readPlan, '-o', 'diff'));
    expect(code).toBe(1);
    expect(out).toMatch(/^Agent tabs, APIExport example\.com in workspace root:provider\.\n/u);
    expect(out).toMatch(
      /\ncreate apiresourceschemas\.apis\.kcp\.io v[0-9a-f]{8}\.crontabs\.example\.com in workspace root:provider\n/u,
    );
    expect(out).toMatch(
      /\npatch apiexports\.apis\.kcp\.io example\.com in workspace root:provider\n(?: {2}.*\n)*? {2}\+ spec\.resources: .*"schema":"v[0-9a-f]{8}\.crontabs\.example\.com"/u,
    );
    expect(out).toMatch(/\npatch publishedresources\.syncagent\.kcp\.io\/status tabs on the service cluster\n/u);
    expect(out).toMatch(/\n1 to write on the service cluster, 2 in kcp\.$/u);
    const why = await unchanged(() => hawser(readWhy, 'publishedresource', 'tabs'));
    expect(why).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^PublishedResource tabs is not in step yet\.\n {2}UnderWay: 1 write is due for it/u),
    });
  });

  it('a plan is what the next agent does, and of what is in step there is none', async () => {
    await published();
    const stop = await startAgent();
    await exported();
    await stop();
    const team = await bind('root:team');
    await world.workspace('root:team').create(crontab, tab('one'));

    const plan = await unchanged(() => hawser(readPlan, '-o', 'json'));
    const { writes, held } = JSON.parse(plan.out) as {
      readonly writes: readonly {
        readonly object?: string;
        readonly cluster: string;
        readonly workspace?: string;
        readonly verb: string;
        readonly resource: string;
        readonly namespace?: string;
        readonly name: string;
        readonly after?: unknown;
      }[];
      readonly held: readonly string[];
    };
    expect(held).toEqual([]);
    const ofObject = writes.filter(({ object }) => object === `${team}|default/one`);
    expect(
      ofObject.map(({ verb, resource, cluster, workspace }) => `${verb} ${resource} ${workspace ?? cluster}`),
    ).toEqual([
      'patch crontabs root:team',
      'create namespaces service',
      'create crontabs service',
      'create secrets service',
    ]);
    expect(ofObject[2]).toMatchObject({
      namespace: 'copies',
      name: 'one',
      after: {
        spec: { cronSpec: '* * * * *' },
        metadata: { labels: { 'syncagent.kcp.io/agent-name': 'tabs', 'syncagent.kcp.io/remote-object-cluster': team } },
      },
    });
    // What stands in Secrets is shown nowhere.
    expect(ofObject[3]?.after).toBeUndefined();
    const why = await unchanged(() => hawser(readWhy, 'crontab', 'one', '-w', 'root:team'));
    expect(why).toEqual({
      code: 1,
      out: 'CronTab root:team default/one is not in step yet.\n  published by tabs, copy copies/one on the service cluster\n  UnderWay: 4 writes are due, which the agent does by itself.\n  who acts: nobody has to',
    });
    // As the servers would have it: the same.
    const dry = await unchanged(() => hawser(readPlan, '-o', 'json', '--dry-run', 'server'));
    expect((JSON.parse(dry.out) as { readonly writes: unknown[] }).writes).toHaveLength(writes.length);

    await startAgent();
    await eventually(
      async () => {
        expect(await hawser(readPlan)).toEqual({
          code: 0,
          out: 'Agent tabs, APIExport example.com in workspace root:provider.\n\nNothing to write.',
        });
      },
      { timeoutMs: 60_000 },
    );
    expect(await unchanged(() => hawser(readWhy, '--all'))).toEqual({ code: 0, out: '1 of 1 object in step.' });
    const copy = await world.service.get(crontab, { namespace: 'copies', name: 'one' });
    expect(copy['spec']).toEqual({ cronSpec: '* * * * *' });
  });

  it('what holds an object is told with who must act, beside its neighbours in other workspaces', async () => {
    await published();
    const stop = await startAgent();
    await exported();
    await Promise.all([bind('root:team'), bind('root:crew')]);
    await world.workspace('root:crew').create(crontab, tab('fine'));
    await eventually(() => world.service.get(crontab, { namespace: 'copies', name: 'fine' }));
    await stop();
    await world.service.create(crontab, { ...tab('one'), metadata: { namespace: 'copies', name: 'one' } });
    await world.workspace('root:team').create(crontab, tab('one'));

    const why = await unchanged(() => hawser(readWhy, 'crontabs.example.com', 'one', '-o', 'json'));
    expect(JSON.parse(why.out)).toMatchObject({
      standing: 'held',
      subjects: [
        {
          publishedResource: 'tabs',
          workspace: 'root:team',
          standing: 'held',
          reason: 'Occupied',
          actor: 'provider',
          remedy: expect.any(String),
        },
      ],
    });
    const all = await unchanged(() => hawser(readWhy, '--all'));
    expect(all).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /\nCronTab root:team default\/one +Occupied +provider\n[^]*\n1 of 2 objects in step\.$/u,
      ),
    });
    expect((await hawser(readPlan)).out).toContain('Held:\n  CronTab root:team default/one: Occupied: ');
    await expect(hawser(readWhy, 'database', 'one')).rejects.toThrow(
      'no published API is called database; there are: crontabs.example.com',
    );
    expect((await hawser(readWhy, 'crontab', 'two')).out).toContain(
      'NoSuchObject: There is no CronTab default/two in any workspace that has bound the APIExport',
    );
  });

  it('a deletion in a workspace is followed to its end', async () => {
    await published();
    const stop = await startAgent();
    await exported();
    const team = await bind('root:team');
    await world.workspace('root:team').create(crontab, tab('one'));
    await eventually(async () => {
      expect(
        (
          await world.service.list(core('secrets'), {
            namespace: 'agents',
            labelSelector: 'syncagent.kcp.io/object-state',
          })
        ).items,
      ).toHaveLength(1);
    });
    await stop();
    await world.workspace('root:team').delete(crontab, { namespace: 'default', name: 'one' });
    const plan = await unchanged(() => hawser(readPlan, '-o', 'json'));
    const { writes } = JSON.parse(plan.out) as {
      readonly writes: readonly { readonly object?: string; readonly verb: string; readonly resource: string }[];
    };
    expect(
      writes
        .filter(({ object }) => object === `${team}|default/one`)
        .map(({ verb, resource }) => `${verb} ${resource}`),
    ).toEqual(['delete crontabs', 'delete secrets', 'patch crontabs']);
  });

  it('what is paused is held back, shown in the plan, and done once it is not', async () => {
    await published();
    await startAgent();
    await exported();
    const team = await bind('root:team');
    const client = world.workspace('root:team');
    await client.create(crontab, tab('one'));
    const copy = (): Promise<UnstructuredObject> => world.service.get(crontab, { namespace: 'copies', name: 'one' });
    await eventually(copy);
    const pause = (value: string | null): Promise<unknown> =>
      world.service.patch(
        resources.publishedResources,
        { name: 'tabs' },
        { type: 'merge', patch: { metadata: { annotations: { 'hawser.dev/paused': value } } } },
      );
    await pause('an upgrade');
    const conditions = async (): Promise<unknown> =>
      (await world.published('tabs')).status?.conditions?.map(
        ({ type, status, reason }) => `${type}=${status} ${reason}`,
      );
    await eventually(async () => {
      expect(await conditions()).toContain('Paused=True Paused');
    });
    await client.patch(
      crontab,
      { namespace: 'default', name: 'one' },
      { type: 'merge', patch: { spec: { cronSpec: 'changed' } } },
    );
    await eventually(async () => {
      expect(await conditions()).toContain('ObjectsInSync=False Paused');
    });
    const plan = await hawser(readPlan, '-o', 'diff');
    expect(plan).toMatchObject({
      code: 1,
      out: expect.stringMatching(
        /\nheld back: patch crontabs\.example\.com copies\/one on the service cluster\n {2}- spec\.cronSpec: "\* \* \* \* \*"\n {2}\+ spec\.cronSpec: "changed"\n[^]*\n0 to write on the service cluster, 0 in kcp, 1 held back\.$/u,
      ),
    });
    expect(plan.out).toContain('PublishedResource tabs: Paused: ');
    expect((await hawser(readWhy, 'crontab', 'one', '-w', team)).out).toContain('  Paused: ');
    expect((await copy())['spec']).toEqual({ cronSpec: '* * * * *' });
    await pause(null);
    await eventually(async () => {
      expect((await copy())['spec']).toEqual({ cronSpec: 'changed' });
    });
    await eventually(async () => {
      expect(await conditions()).toEqual(expect.not.arrayContaining([expect.stringContaining('Paused')]));
    });
  });

  it('an agent that may not read what it needs is told so, and is not waited for without end', async () => {
    await world.kcp.createWorkspace('root:empty');
    writeFileSync(join(folder, 'kcp'), world.kcp.kubeconfig('root:empty'));
    await expect(hawser(readPlan)).rejects.toThrow(
      'there is no APIExportEndpointSlice example.com in workspace root:empty',
    );
  });
});

describe('the words of plan and why for an agent', () => {
  it.each([
    [() => readPlan(['--roles', 'provider']), '--roles: must be konnector or syncagent, not "provider"'],
    [() => readPlan(['--roles=syncagent', '--output=xml']), '--output: must be one of text, diff, json, not "xml"'],
    [
      () => readWhy(['--roles=syncagent', 'crontab']),
      'why needs KIND and NAME, or --all; see hawser why --roles syncagent --help',
    ],
    [() => readWhy(['--roles=syncagent', '--all', 'crontab']), 'unexpected argument: crontab; --all names nothing'],
  ])('%s is wrong usage', (read, message) => {
    expect(read).toThrow(message);
  });

  it('an agent that is not described is wrong usage, with all that is missing', async () => {
    const task = readPlan(['--roles=syncagent']);
    const terminal = {
      out: () => undefined,
      err: () => undefined,
      ask: () => Promise.resolve(undefined),
      env: {},
      signal: new AbortController().signal,
    };
    await expect(typeof task === 'string' ? undefined : task(terminal)).rejects.toThrow(
      '--kcp-kubeconfig: is required, or --config\n--apiexportendpointslice-ref: is required, or --config\n--agent-namespace: is required, or --config',
    );
  });
});
