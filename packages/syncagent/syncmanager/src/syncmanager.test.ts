import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AgentWorld, EXPORT, crontabs, publish, startAgentWorld } from '@hawser/agent-world';
import { createAPIResourceSchema } from '@hawser/apiresourceschema';
import type { KubeObject, Resource } from '@hawser/client';
import { customResourceDefinitions } from '@hawser/crd';
import { resources as kcpResources } from '@hawser/kcp-api';
import { createSyncagentAPIExport } from '@hawser/syncagent-apiexport';
import { type PublishedResourceSpec, resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { InvalidRulesError, type SyncRequest, type Syncmanager, createSyncmanager } from './index.js';
import { RecordingSync } from './testing/recording-sync.js';
import type { EngagedVirtualWorkspace } from './virtual-workspace.js';

const agent = { name: 'textor', exportName: EXPORT, namespace: 'default' };
const CRONTABS: Resource = { group: 'example.com', version: 'v1', resource: 'crontabs' };

/** What a test begins with. */
interface Published {
  readonly shards?: readonly string[];
  readonly selector?: string;
  readonly spec?: Partial<PublishedResourceSpec>;
  readonly labels?: Readonly<Record<string, string>>;
  /** More PublishedResources, by name. */
  readonly also?: Readonly<Record<string, Partial<PublishedResourceSpec>>>;
}

describe('the syncmanager', () => {
  let world: AgentWorld;
  let syncs: RecordingSync[];
  let manager: Syncmanager;
  /** What the next syncs are made to do. */
  let prepare: (sync: RecordingSync) => void;
  let refuse: (request: SyncRequest) => readonly string[];
  /** Definitions that the syncmanager asked for. */
  let discovered: string[];

  const open = async (shards: readonly string[] = ['root'], endpoints?: string): Promise<void> => {
    world = await startAgentWorld({ shards, ...(endpoints === undefined ? {} : { endpoints }) });
    await world.service.create(customResourceDefinitions, crontabs());
  };
  const start = async ({
    selector,
    endpointSlice = EXPORT,
    exported: inExport = selector,
  }: {
    readonly selector?: string | undefined;
    readonly endpointSlice?: string;
    readonly exported?: string | undefined;
  } = {}): Promise<void> => {
    const selected = { ...agent, selector };
    await world.start(createAPIResourceSchema({ agent: selected, discover: (source) => world.discover(source) }));
    await world.start(createSyncagentAPIExport({ agent: { ...agent, selector: inExport } }));
    manager = await world.start(
      createSyncmanager({
        agent: selected,
        endpointSlice,
        hosts: world.hosts,
        annotations: ['hawser.dev/adoption'],
        discover: (source) => {
          discovered.push(source.kind);
          return world.discover(source);
        },
        createSync: (request) => {
          const problems = refuse(request);
          if (problems.length > 0) throw new InvalidRulesError(problems);
          const sync = new RecordingSync(request);
          prepare(sync);
          syncs.push(sync);
          return sync;
        },
      }),
    );
  };
  beforeEach(() => {
    syncs = [];
    discovered = [];
    prepare = () => undefined;
    refuse = () => [];
  });
  afterEach(async () => {
    await world.close();
    expect(syncs.filter(({ state }) => state === 'started')).toEqual([]);
  });

  const add = async (
    name = 'a',
    spec: Partial<PublishedResourceSpec> = {},
    labels: Readonly<Record<string, string>> = {},
  ): Promise<void> => {
    await world.service.create(resources.publishedResources, publish(name, spec, { labels }));
  };
  const edit = async (patch: object, name = 'a'): Promise<void> => {
    await world.service.patch(resources.publishedResources, { name }, { type: 'merge', patch });
  };
  const exported = (count = 1): Promise<void> =>
    eventually(async () => {
      expect((await world.export()).spec?.resources ?? []).toHaveLength(count);
    });
  const bind = async (path: string, shard?: string): Promise<void> => {
    await world.bind(path, shard);
  };
  const running = (): readonly RecordingSync[] => syncs.filter(({ state }) => state === 'started');
  const oneRuns = (): Promise<RecordingSync> =>
    eventually(() => {
      const [sync, ...others] = running();
      expect(others).toEqual([]);
      if (sync === undefined) throw new Error('none runs');
      return sync;
    });
  /** `a` and what else is named are in the export, which nobody has bound. */
  const published = async ({ shards, selector, spec, labels, also = {} }: Published = {}): Promise<void> => {
    await open(shards);
    await start({ selector });
    await add('a', spec, labels);
    for (const [name, each] of Object.entries(also)) await add(name, each);
    await exported(1 + Object.keys(also).length);
  };
  /** As {@link published}, and bound in one workspace. The sync that runs. */
  const syncing = async ({
    workspace = 'root:team-1',
    ...what
  }: Published & { readonly workspace?: string } = {}): Promise<RecordingSync> => {
    await published(what);
    await bind(workspace);
    return oneRuns();
  };
  const noneRuns = (): Promise<void> =>
    eventually(() => {
      expect(running()).toEqual([]);
    });
  const object = async (path: string, name: string): Promise<void> => {
    await eventually(() =>
      world.workspace(path).create(CRONTABS, {
        apiVersion: 'example.com/v1',
        kind: 'CronTab',
        metadata: { name, namespace: 'default' },
        spec: { cronSpec: '*' },
      } as never),
    );
  };
  const status = async (name = 'a') => (await world.published(name)).status;
  const condition = async (type: string, name = 'a'): Promise<string | undefined> => {
    const found = (await status(name))?.conditions?.find((each) => each.type === type);
    return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
  };

  it('starts nothing before somebody has bound the export, and then one sync, with what is in the workspaces', async () => {
    await published();
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Published', counts: { workspaces: 0 } });
    });
    expect(syncs).toEqual([]);
    await bind('root:team-1');
    await object('root:team-1', 'one');
    const sync = await oneRuns();
    await eventually(() => {
      expect(sync.objects).toEqual(['one']);
    });
    expect(sync.request.kinds).toMatchObject({
      service: { resource: CRONTABS, kind: 'CronTab', scope: 'Namespaced', subresources: ['status'] },
      kcp: { resource: CRONTABS, subresources: ['status'] },
    });
    sync.request.onReport();
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Syncing', counts: { objects: 1, workspaces: 1, failing: 0 } });
    });
    expect(await condition('Valid')).toBe('True Valid: ');
    expect(await condition('Ready')).toBe('True Published: ');
  });

  it('shows a sync the workspaces, their paths, and a client for each', async () => {
    const [engagement] = (await syncing({ workspace: 'root:org:team-1' })).request.engagements;
    if (engagement === undefined) throw new Error('no engagement');
    const changes: string[] = [];
    engagement.workspaces.onChange((cluster) => {
      changes.push(cluster);
    });
    const second = await world.bind('root:org:team-2');
    await eventually(() => {
      expect(changes).toContain(second.name);
    });
    expect(engagement.workspaces.has(second.name)).toBe(true);
    expect(engagement.workspaces.pathOf(second.name)).toBe('root:org:team-2');
    expect([...engagement.workspaces.names]).toHaveLength(2);
    await object('root:org:team-2', 'two');
    expect(await engagement.clientFor(second.name).get(CRONTABS, { namespace: 'default', name: 'two' })).toMatchObject({
      metadata: { annotations: { 'kcp.io/cluster': second.name } },
    });
    changes.length = 0;
    await world.unbind('root:org:team-2');
    await eventually(() => {
      expect(engagement.workspaces.has(second.name)).toBe(false);
    });
    expect(changes).toContain(second.name);
    expect(engagement.workspaces.has('nobody')).toBe(false);
    expect(() => engagement.clientFor('root:org')).toThrow();
  });

  it('has one watch for each resource, whatever the number of workspaces and syncs', async () => {
    await published({ also: { b: { projection: { kind: 'Other' } } } });
    for (let count = 0; count < 5; count++) await bind(`root:team-${count}`);
    await eventually(() => {
      expect(running()).toHaveLength(2);
    });
    const [engagement] = manager.engagements;
    await eventually(() => {
      expect([...(engagement?.workspaces.names ?? [])]).toHaveLength(5);
    });
    expect(engagement?.informers.active.map(({ spec }) => spec.resource.resource).sort()).toEqual([
      'apibindings',
      'crontabs',
      'others',
    ]);
    expect(manager.engagements).toHaveLength(1);
  });

  it('replaces the sync when the spec changes, and only then', async () => {
    const first = await syncing();
    await edit({ metadata: { labels: { touched: 'yes' }, annotations: { other: 'x' } } });
    await edit({ spec: { naming: { name: 'changed' } } });
    await eventually(() => {
      expect(syncs).toHaveLength(2);
    });
    const second = await oneRuns();
    expect(first.state).toBe('stopped');
    expect(second.request.publishedResource.spec.naming?.name).toBe('changed');
    await edit({ metadata: { annotations: { 'hawser.dev/adoption': 'overwrite' } } });
    await eventually(() => {
      expect(syncs).toHaveLength(3);
    });
    await oneRuns();
  });

  it('replaces the sync when the schema becomes another version, and goes on when it only gains a field', async () => {
    await syncing();
    const schema = (await status())?.resourceSchemaName;
    await world.service.patch(
      customResourceDefinitions,
      { name: 'crontabs.example.com' },
      {
        type: 'merge',
        patch: {
          spec: crontabs({
            spec: { cronSpec: { type: 'string' }, image: { type: 'string' }, more: { type: 'string' } },
          }).spec,
        },
      },
    );
    await eventually(async () => {
      expect((await status())?.resourceSchemaName).not.toBe(schema);
    });
    await eventually(async () => {
      expect((await world.export()).spec?.resources?.[0]?.schema).not.toBe(schema);
    });
    expect(syncs).toHaveLength(1);
    await edit({ spec: { projection: { versions: { v1: 'v2' } } } });
    await eventually(() => {
      expect(running().map(({ request }) => request.kinds.kcp.resource.version)).toEqual(['v2']);
    });
    expect(syncs.map(({ request }) => request.kinds.kcp.resource.version)).toEqual(['v1', 'v2']);
    expect(running()[0]?.request.kinds.service.resource.version).toBe('v1');
  });

  it('asks after a restart for nothing that it knew before, as long as nothing has changed', async () => {
    await syncing();
    const restart = async (): Promise<readonly string[]> => {
      await world.restart();
      discovered = [];
      await start();
      await oneRuns();
      return discovered;
    };
    expect(await restart()).toEqual([]);
    const kinds = running()[0]?.request.kinds;
    await world.restart();
    // Another version is stored, which only the definition tells.
    const spec = crontabs().spec;
    const [version] = spec.versions;
    await world.service.patch(
      customResourceDefinitions,
      { name: 'crontabs.example.com' },
      {
        type: 'merge',
        patch: {
          spec: {
            versions: [
              { ...version, storage: false },
              { ...version, name: 'v2', storage: true },
            ],
          },
        },
      },
    );
    discovered = [];
    await start();
    await eventually(() => {
      expect(running().map(({ request }) => request.kinds.service.resource.version)).toEqual(['v2']);
    });
    expect(discovered).not.toEqual([]);
    expect(kinds?.service.resource.version).toBe('v1');
    expect(await restart()).toEqual([]);
    expect(running()[0]?.request.kinds.service.resource.version).toBe('v2');
  });

  it('has everything read again when a schema has changed here, and when a workspace has gone over to it; not for a workspace that is new', async () => {
    const sync = await syncing();
    const before = [...sync.calls];
    await world.service.patch(
      customResourceDefinitions,
      { name: 'crontabs.example.com' },
      {
        type: 'merge',
        patch: { spec: crontabs({ spec: { cronSpec: { type: 'string' }, more: { type: 'string' } } }).spec },
      },
    );
    await eventually(
      () => {
        expect(sync.calls.slice(before.length)).toContain('reread');
      },
      { timeoutMs: 20_000 },
    );
    const [engagement] = manager.engagements;
    // Nothing is due for what is bound from now on: its binding has had no other schema.
    const shape = (engagement as EngagedVirtualWorkspace).workspaces.shapeOf(CRONTABS);
    expect(shape).toBe('1');
    await bind('root:team-2');
    await eventually(() => {
      expect([...engagement!.workspaces.names]).toHaveLength(2);
    });
    expect((engagement as EngagedVirtualWorkspace).workspaces.shapeOf(CRONTABS)).toBe(shape);
    expect(syncs).toHaveLength(1);
  });

  it('stops it when the PublishedResource goes, is switched off, or is not selected any more; and makes another for a successor', async () => {
    const labels = { team: 'a' };
    await syncing({ selector: 'team=a', labels });
    await edit({ spec: { synchronization: { enabled: false } } });
    await noneRuns();
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Published' });
    });
    expect(await condition('ObjectsInSync')).toBeUndefined();
    await edit({ spec: { synchronization: { enabled: true } } });
    await oneRuns();
    await edit({ metadata: { labels: { team: 'b' } } });
    await noneRuns();
    await edit({ metadata: { labels } });
    const before = await oneRuns();
    await world.service.delete(resources.publishedResources, { name: 'a' });
    await noneRuns();
    await add('a', {}, labels);
    const after = await oneRuns();
    expect(after.request.publishedResource.metadata.uid).not.toBe(before.request.publishedResource.metadata.uid);
    await edit({ spec: { synchronization: { enabled: false } } });
    await eventually(() => {
      expect(manager.engagements[0]?.informers.active.map(({ spec }) => spec.resource.resource)).toEqual([
        'apibindings',
      ]);
    });
  });

  it('has one sync for a resource that two PublishedResources want: the older one’s, and the other’s when that goes', async () => {
    await published();
    await add('b', { naming: { name: 'other' } });
    await eventually(async () => {
      expect((await status('b'))?.resourceSchemaName).toBe((await status('a'))?.resourceSchemaName);
    });
    await bind('root:team-1');
    expect((await oneRuns()).request.publishedResource.metadata.name).toBe('a');
    await eventually(async () => {
      expect(await condition('ObjectsInSync', 'b')).toContain('False ResourcePublishedTwice: ');
    });
    await world.service.delete(resources.publishedResources, { name: 'a' });
    await eventually(async () => {
      expect((await oneRuns()).request.publishedResource.metadata.name).toBe('b');
    });
  });

  it('tells a sync which other PublishedResources publish the same kind here, as long as they do', async () => {
    await published({ also: { b: { projection: { kind: 'Timer' } } } });
    await bind('root:team-1');
    await eventually(() => {
      expect(
        running()
          .map(({ request }) => request.publishedResource.metadata.name)
          .sort(),
      ).toEqual(['a', 'b']);
    });
    const [a, b] = ['a', 'b'].map((name) =>
      running().find(({ request }) => request.publishedResource.metadata.name === name),
    );
    expect(['b', 'never'].map((name) => a?.request.publishesSameKind(name))).toEqual([true, false]);
    // It has yet to let go of an object.
    if (b !== undefined) b.held = 1;
    await world.service.delete(resources.publishedResources, { name: 'b' });
    await eventually(() => {
      expect(b?.calls).toContain('retire keep');
    });
    expect(a?.request.publishesSameKind('b')).toBe(true);
    if (b !== undefined) b.held = 0;
    b?.request.onReport();
    await eventually(() => {
      expect(a?.request.publishesSameKind('b')).toBe(false);
    });
  });

  it('lets a sync of a deleted PublishedResource go on until nothing of it is left in workspaces', async () => {
    await published();
    await bind('root:team-1');
    prepare = (made) => {
      made.held = 3;
    };
    await edit({
      spec: { naming: { name: 'x' } },
      metadata: { annotations: { 'hawser.dev/on-delete': 'Drain' }, finalizers: ['example.com/hold'] },
    });
    await eventually(async () => {
      expect((await oneRuns()).held).toBe(3);
    });
    const sync = await oneRuns();
    const made = syncs.length;
    await world.service.delete(resources.publishedResources, { name: 'a' });
    await eventually(() => {
      expect(sync.calls).toContain('retire drain');
    });
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Draining' });
    });
    await edit({ metadata: { finalizers: null } });
    sync.request.onReport();
    expect(sync.state).toBe('started');
    sync.held = 0;
    sync.request.onReport();
    await noneRuns();
    await eventually(() => {
      expect(manager.engagements[0]?.informers.active.map(({ spec }) => spec.resource.resource)).toEqual([
        'apibindings',
      ]);
    });
    expect(syncs).toHaveLength(made);
  });

  it('lets go after a restart too, while the PublishedResource is still on its way out, or was switched off', async () => {
    await syncing();
    await edit({ metadata: { finalizers: ['example.com/hold'] }, spec: { synchronization: { enabled: false } } });
    await noneRuns();
    await world.restart();
    await world.service.delete(resources.publishedResources, { name: 'a' });
    prepare = (made) => {
      made.held = 1;
    };
    await start();
    const sync = await oneRuns();
    expect(sync.calls).toContain('retire keep');
    sync.held = 0;
    sync.request.onReport();
    await noneRuns();
    await edit({ metadata: { finalizers: null } });
  });

  it('notices a PublishedResource that was deleted while it was down, and lets its objects go', async () => {
    const { kinds } = (await syncing()).request;
    await world.restart();
    await world.service.delete(resources.publishedResources, { name: 'a' });
    prepare = (made) => {
      made.held = 1;
    };
    await start();
    const sync = await oneRuns();
    expect(sync.calls).toContain('retire keep');
    expect(sync.request.kinds).toEqual(kinds);
    sync.held = 0;
    sync.request.onReport();
    await noneRuns();
    await world.restart();
    const before = syncs.length;
    await start();
    await add('b', { projection: { kind: 'Other' } });
    await oneRuns();
    expect(syncs).toHaveLength(before + 1);
  });

  it('lets the objects of a former kind go, also if it was down meanwhile, and keeps their copies', async () => {
    await syncing();
    prepare = (made) => {
      made.held = 1;
    };
    const kindsThatRun = (): readonly string[] =>
      running()
        .map(({ request, calls }) => `${request.kinds.kcp.kind}${calls.includes('retire keep') ? ' retired' : ''}`)
        .sort();
    await edit({ spec: { projection: { kind: 'Timer' } } });
    await eventually(() => {
      expect(kindsThatRun()).toEqual(['CronTab retired', 'Timer']);
    });
    await world.restart();
    await start();
    await eventually(() => {
      expect(kindsThatRun()).toEqual(['CronTab retired', 'Timer']);
    });
    for (const sync of running()) {
      sync.held = 0;
      sync.request.onReport();
    }
    await eventually(() => {
      expect(kindsThatRun()).toEqual(['Timer']);
    });
    await edit({ spec: { projection: { kind: 'CronTab' } } });
    await eventually(() => {
      expect(kindsThatRun()).toEqual(['CronTab', 'Timer retired']);
    });
    // Back before the other was done with: nothing is let go of what is published again.
    await edit({ spec: { projection: { kind: 'Timer' } } });
    await eventually(() => {
      expect(kindsThatRun()).toEqual(['CronTab retired', 'Timer']);
    });
  });

  it('does nothing with a record that nobody can read, and keeps it', async () => {
    const data = Object.fromEntries(
      [
        ['uid-1', 'nonsense'],
        ['uid-2', '{}'],
        ['__proto__', 'null'],
        ['uid-3', '{"publishedResource":{"metadata":{"name":"x"}}}'],
      ].map(([key = '', text = '']) => [key, Buffer.from(text).toString('base64')]),
    );
    const key = { namespace: 'default', name: 'hawser-publications.textor' };
    await open();
    await world.service.create({ group: '', version: 'v1', resource: 'secrets' }, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: key,
      data,
    } as never);
    await start();
    await add();
    await exported();
    await bind('root:team-1');
    await oneRuns();
    const uid = (await world.published('a')).metadata.uid ?? '';
    const secret = await world.service.get<KubeObject & { readonly data: Readonly<Record<string, string>> }>(
      { group: '', version: 'v1', resource: 'secrets' },
      key,
    );
    expect(Object.keys(secret.data).sort()).toEqual([uid, '__proto__', 'uid-1', 'uid-2', 'uid-3'].sort());
  });

  it('keeps what is published again', async () => {
    const first = await syncing();
    first.held = 5;
    await world.service.delete(resources.publishedResources, { name: 'a' });
    await eventually(() => {
      expect(first.calls).toContain('retire keep');
    });
    await add();
    await eventually(() => {
      expect(first.state).toBe('stopped');
    });
    const second = await oneRuns();
    expect(second.calls.filter((word) => word.startsWith('retire'))).toEqual([]);
  });

  it('engages every shard, and disengages one that nobody uses any more', async () => {
    const sync = await syncing({ shards: ['root', 'west'] });
    await bind('root:team-2', 'west');
    await eventually(() => {
      expect(manager.engagements.map(({ url }) => url)).toHaveLength(2);
    });
    await object('root:team-1', 'one');
    await object('root:team-2', 'two');
    await eventually(() => {
      expect(sync.objects).toEqual(['one', 'two']);
    });
    expect(sync.calls.filter((word) => word.startsWith('add'))).toHaveLength(2);
    const west = manager.engagements.find(({ url }) => url.includes('/shards/west/'));
    if (west === undefined) throw new Error('the shard is not engaged');
    await world.unbind('root:team-2');
    await eventually(() => {
      expect(sync.calls).toContain(`remove ${west.url}`);
    });
    expect(manager.engagements).toHaveLength(1);
    expect(west.informers.active).toEqual([]);
    expect(sync.state).toBe('started');
  });

  it('refuses rules that cannot be used, with all that is wrong, and starts when they are mended', async () => {
    refuse = ({ publishedResource }) =>
      publishedResource.spec.naming?.name === 'bad'
        ? ['spec.naming.name: it is bad.', 'spec.related[0]: so is this.']
        : [];
    await published({ spec: { naming: { name: 'bad' } }, also: { neighbour: { projection: { kind: 'Other' } } } });
    await bind('root:team-1');
    await eventually(async () => {
      expect(await condition('Valid')).toBe(
        'False RulesInvalid: No object is synchronised until the provider corrects the spec: spec.naming.name: it is bad. spec.related[0]: so is this.',
      );
    });
    expect(await status()).toMatchObject({ phase: 'Failed', lastError: { reason: 'RulesInvalid' } });
    expect(running()).toHaveLength(1);
    await edit({ spec: { naming: { name: 'good' } } });
    await eventually(() => {
      expect(running()).toHaveLength(2);
    });
    await eventually(async () => {
      expect(await condition('Valid')).toBe('True Valid: ');
    });
    await edit({ spec: { naming: { name: 'bad' } } });
    await eventually(() => {
      expect(running()).toHaveLength(1);
    });
  });

  it('tells what is wrong with objects, and forgets it', async () => {
    const sync = await syncing();
    sync.found = [
      { object: 'c1|default/x', reason: 'NameInvalid', message: 'its name is too long', actor: 'consumer', since: 1 },
    ];
    sync.request.onReport();
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toBe(
        'False NameInvalid: 1 object is not in step: c1|default/x: its name is too long (consumer)',
      );
    });
    expect(await status()).toMatchObject({
      phase: 'Syncing',
      counts: { failing: 1 },
      lastError: { reason: 'NameInvalid' },
    });
    sync.found = [];
    sync.orphans = 2;
    sync.request.onReport();
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toContain('True InStep: 2 copies');
    });
  });

  it('starts anew a sync that does not come up', async () => {
    let failures = 1;
    prepare = (sync) => {
      if (failures-- > 0) sync.failure = new Error('no caches');
    };
    await published();
    await bind('root:team-1');
    await eventually(() => {
      expect(syncs.map(({ state }) => state)).toEqual(['stopped', 'started']);
    });
  });

  it('a kind that cannot be had from kcp keeps no other from being synced, and comes when it can', async () => {
    await open(['root', 'west']);
    await start();
    world.kcp.kcp.setFaults(({ path }, { resource }) =>
      resource === 'others' && path.startsWith('/services/')
        ? { instead: { status: 404, headers: {}, body: 'not here' } }
        : undefined,
    );
    await add();
    await add('b', { projection: { kind: 'Other' } });
    await exported(2);
    await bind('root:team-1');
    await bind('root:team-2', 'west');
    await object('root:team-1', 'one');
    await object('root:team-2', 'two');
    const syncOf = (name: string): RecordingSync | undefined =>
      running().find(({ request }) => request.publishedResource.metadata.name === name);
    await eventually(() => {
      expect(syncOf('a')?.objects).toEqual(['one', 'two']);
    });
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Syncing' });
    });
    await world.workspace('root:team-1').create({ ...CRONTABS, resource: 'others' }, {
      apiVersion: 'example.com/v1',
      kind: 'Other',
      metadata: { name: 'three', namespace: 'default' },
      spec: {},
    } as never);
    expect(syncOf('b')?.objects ?? []).toEqual([]);
    world.kcp.kcp.setFaults(undefined);
    await eventually(
      () => {
        expect(syncOf('b')?.objects).toEqual(['three']);
      },
      { timeoutMs: 30_000 },
    );
  });

  it('tells that kcp does not serve a kind, and has the others synced', async () => {
    await open();
    await start({ exported: 'team=a' });
    await add('a', {}, { team: 'a' });
    await add('b', { projection: { kind: 'Other' } });
    await exported();
    await bind('root:team-1');
    expect((await oneRuns()).request.publishedResource.metadata.name).toBe('a');
    await eventually(
      async () => {
        expect(await condition('ObjectsInSync', 'b')).toContain(
          'False NotServed: kcp does not serve others.example.com',
        );
      },
      { timeoutMs: 60_000 },
    );
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toBe('True InStep: ');
    });
  });

  it('tells that the endpoint slice is missing, and engages when it is there', async () => {
    await open();
    await world.providerClient.patch(
      kcpResources.apiExports,
      { name: EXPORT },
      { type: 'merge', patch: { metadata: { annotations: { 'apiexports.apis.kcp.io/skip-endpointslice': 'true' } } } },
    );
    await world.providerClient.delete(kcpResources.apiExportEndpointSlices, { name: EXPORT }).catch(() => undefined);
    await start();
    await add();
    await exported();
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toContain('False EndpointSliceNotFound');
    });
    await bind('root:team-1');
    await world.providerClient.create(kcpResources.apiExportEndpointSlices, {
      apiVersion: 'apis.kcp.io/v1alpha1',
      kind: 'APIExportEndpointSlice',
      metadata: { name: EXPORT },
      spec: { export: { name: EXPORT } },
    } as never);
    await oneRuns();
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toContain('True');
    });
  });

  const slice = (name: string, path?: string) => ({
    apiVersion: 'apis.kcp.io/v1alpha1',
    kind: 'APIExportEndpointSlice',
    metadata: { name },
    spec: { export: { name: EXPORT, ...(path === undefined ? {} : { path }) } },
  });

  it.each([
    ['the provider workspace', undefined],
    ['another workspace', 'root:org:endpoints'],
  ])('takes an endpoint slice of one’s own, in %s', async (_title, endpoints) => {
    await open(['root'], endpoints);
    await world
      .workspace(endpoints ?? 'root:provider')
      .create(
        kcpResources.apiExportEndpointSlices,
        slice('dummy', endpoints === undefined ? undefined : 'root:provider'),
      );
    await start({ endpointSlice: 'dummy' });
    await add();
    await exported();
    await bind('root:team-1');
    await object('root:team-1', 'one');
    const sync = await oneRuns();
    await eventually(() => {
      expect(sync.objects).toEqual(['one']);
    });
  });

  it('sees what came and went while the watches of kcp were broken and its history forgotten', async () => {
    await published();
    await bind('root:team-1');
    await bind('root:team-2');
    const sync = await oneRuns();
    const workspaces = sync.request.engagements[0]?.workspaces;
    await eventually(() => {
      expect([...(workspaces?.names ?? [])]).toHaveLength(2);
    });
    const gone = world.kcp.kcp.find('root:team-2')?.name ?? '';
    await world.unbind('root:team-2');
    world.kcp.kcp.compact();
    await bind('root:team-3');
    await object('root:team-3', 'three');
    await eventually(() => {
      expect(workspaces?.has(gone)).toBe(false);
      expect([...(workspaces?.names ?? [])]).toHaveLength(2);
      expect(sync.objects).toEqual(['three']);
    });
  });

  it('writes nothing when it is in step, after a restart too', async () => {
    await open();
    await add();
    await start();
    await exported();
    await bind('root:team-1');
    await oneRuns();
    await eventually(async () => {
      expect(await condition('ObjectsInSync')).toContain('True');
    });
    const before = await world.versions();
    await world.restart();
    // Until it has looked at all objects, what was said before stands.
    prepare = (made) => {
      made.surveyed = false;
    };
    await start();
    const sync = await oneRuns();
    sync.request.onReport();
    await eventually(async () => {
      expect(await status()).toMatchObject({ phase: 'Syncing' });
    });
    expect(await world.versions()).toBe(before);
    await edit({ spec: { naming: { name: 'later' } } });
    await eventually(async () => {
      expect((await status())?.observedGeneration).toBe(2);
    });
    const after = (await world.versions()).split('\n').filter((line) => !line.startsWith('PublishedResource '));
    expect(after).toEqual(before.split('\n').filter((line) => !line.startsWith('PublishedResource ')));
  });
});
