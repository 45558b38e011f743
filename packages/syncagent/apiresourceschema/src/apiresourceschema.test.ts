import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AgentWorld, type CrdOptions, EXPORT, crontabs, publish, startAgentWorld } from '@hawser/agent-world';
import { customResourceDefinitions } from '@hawser/crd';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import { type Condition, type PublishedResource, type PublishedResourceSpec, resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { createAPIResourceSchema } from './index.js';

const agent = { name: 'textor', exportName: EXPORT, namespace: 'default' };

describe('the controller of APIResourceSchemas', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await startAgentWorld();
  });
  afterEach(async () => {
    await world.close();
  });

  const start = (more: object = {}) =>
    world.start(createAPIResourceSchema({ agent, discover: (source) => world.discover(source), ...more }));
  const install = async (options: CrdOptions = {}): Promise<void> => {
    await world.service.create(customResourceDefinitions, crontabs(options));
  };
  const change = async (options: CrdOptions): Promise<void> => {
    await world.service.patch(
      customResourceDefinitions,
      { name: 'crontabs.example.com' },
      { type: 'merge', patch: { spec: crontabs(options).spec } },
    );
  };
  const add = async (
    name: string,
    spec: Partial<PublishedResourceSpec> = {},
    metadata: Partial<PublishedResource['metadata']> = {},
  ): Promise<void> => {
    await world.service.create(resources.publishedResources, publish(name, spec, metadata));
  };
  const edit = async (name: string, patch: object): Promise<void> => {
    await world.service.patch(resources.publishedResources, { name }, { type: 'merge', patch });
  };
  const schemas = async (): Promise<readonly APIResourceSchema[]> =>
    (
      await world.providerClient.list<APIResourceSchema & Readonly<Record<string, unknown>>>(
        kcpResources.apiResourceSchemas,
      )
    ).items;
  const schemaOf = async (name: string): Promise<string | undefined> =>
    (await world.published(name)).status?.resourceSchemaName;
  const condition = async (name: string, type: string): Promise<Condition | undefined> =>
    (await world.published(name)).status?.conditions?.find((each) => each.type === type);
  const settled = (name: string): Promise<string> =>
    eventually(async () => {
      const schema = await schemaOf(name);
      expect(schema).toBeDefined();
      return schema ?? '';
    });

  it('makes the schema with its marks, and names it in the status', async () => {
    await install();
    await start();
    await add('a');
    const name = await settled('a');
    const [schema, ...others] = await schemas();
    expect(others).toEqual([]);
    expect(schema).toMatchObject({
      metadata: {
        name,
        labels: { 'syncagent.kcp.io/agent-name': 'textor' },
        annotations: { 'syncagent.kcp.io/agent-name': 'textor', 'syncagent.kcp.io/source-generation': '1' },
      },
      spec: {
        group: 'example.com',
        names: { kind: 'CronTab' },
        versions: [{ name: 'v1', subresources: { status: {} } }],
      },
    });
    expect(await world.published('a')).toMatchObject({
      status: {
        observedGeneration: 1,
        phase: 'Pending',
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'SchemaPublished', status: 'True' }),
        ]) as unknown,
      },
    });
  });

  it('makes another one when the CRD changes, and keeps the one before', async () => {
    await install();
    await start();
    await add('a');
    const before = await settled('a');
    await change({ spec: { cronSpec: { type: 'string' }, image: { type: 'string' }, command: { type: 'string' } } });
    await eventually(async () => {
      expect(await schemaOf('a')).not.toBe(before);
    });
    const after = await schemaOf('a');
    expect((await schemas()).map(({ metadata }) => metadata.name).sort()).toEqual([before, after].sort());
    // Back to what it was: the old name again, and no third schema.
    await change({});
    await eventually(async () => {
      expect(await schemaOf('a')).toBe(before);
    });
    expect(await schemas()).toHaveLength(2);
  });

  it('makes another one when the CRD has another spec under its former generation, as after a restored backup', async () => {
    await install();
    const restored = crontabs({ spec: { cronSpec: { type: 'string' }, command: { type: 'string' } } });
    let isRestored = false;
    const discover: typeof world.discover = async (source) => {
      const crd = await world.discover(source);
      return isRestored ? { ...crd, spec: restored.spec } : crd;
    };
    await start({ discover });
    await add('a');
    const before = await settled('a');
    isRestored = true;
    await world.service.patch(
      customResourceDefinitions,
      { name: 'crontabs.example.com' },
      { type: 'merge', patch: { metadata: { labels: { from: 'backup' } } } },
    );
    await eventually(async () => {
      expect(await schemaOf('a')).not.toBe(before);
    });
  });

  it('projects names, versions and scope, and several versions', async () => {
    await install({ versions: [{ name: 'v1' }, { name: 'v2', storage: true }] });
    await start();
    await add('one', {
      resource: { apiGroup: 'example.com', kind: 'CronTab', versions: ['v1'] },
      projection: {
        versions: { v1: 'v6' },
        scope: 'Cluster',
        kind: 'CronusTabulatus',
        plural: 'cronustabulati',
        shortNames: ['cront'],
      },
    });
    await add('both', { resource: { apiGroup: 'example.com', kind: 'CronTab', versions: ['v2', 'v1'] } });
    const [one, both] = [await settled('one'), await settled('both')];
    const find = async (name: string): Promise<APIResourceSchema | undefined> =>
      (await schemas()).find(({ metadata }) => metadata.name === name);
    expect(await find(one)).toMatchObject({
      spec: {
        scope: 'Cluster',
        names: { kind: 'CronusTabulatus', plural: 'cronustabulati', shortNames: ['cront'] },
        versions: [{ name: 'v6', storage: true }],
      },
    });
    expect((await find(both))?.spec.versions.map(({ name }) => name)).toEqual(['v1', 'v2']);
  });

  it('writes nothing when it is in step, after a restart too; the schema comes back if it is deleted', async () => {
    await install();
    await start();
    await add('a');
    const name = await settled('a');
    const before = await world.versions();
    await world.restart();
    await start();
    await add('marker', { projection: { kind: 'Marker' } });
    await settled('marker');
    expect((await world.versions()).split('\n')).toEqual(expect.arrayContaining(before.split('\n')));
    await world.providerClient.delete(kcpResources.apiResourceSchemas, { name });
    await eventually(async () => {
      expect((await schemas()).map(({ metadata }) => metadata.name)).toContain(name);
    });
  });

  it('says what cannot be published, and goes on when it can', async () => {
    await start();
    await add('unknown');
    await add('version', { resource: { apiGroup: 'example.com', kind: 'CronTab', versions: ['v9'] } });
    await eventually(async () => {
      expect(await condition('unknown', 'SchemaPublished')).toMatchObject({
        status: 'False',
        reason: 'ResourceNotDiscovered',
        message: expect.stringContaining('The provider must') as unknown,
      });
    });
    expect(await world.published('unknown')).toMatchObject({
      status: { phase: 'Failed', lastError: { reason: 'ResourceNotDiscovered' } },
    });
    expect(
      (await world.events('service', 'PublishedResource')).filter((event) => event.startsWith('ReconcilingError'))
        .length,
    ).toBeGreaterThan(0);
    await install();
    await settled('unknown');
    await eventually(async () => {
      expect(await condition('version', 'SchemaPublished')).toMatchObject({
        status: 'False',
        reason: 'ProjectionInvalid',
      });
    });
    await edit('version', { spec: { resource: { versions: ['v1'] } } });
    await settled('version');
    expect((await world.published('version')).status?.lastError).toBeUndefined();
  });

  it('publishes one resource of a kind, whichever is there first, and the other once that is gone', async () => {
    await install();
    await install({ group: 'other.com', kind: 'Timer' });
    await start();
    await add('first');
    const published = await settled('first');
    await add('second', {
      resource: { apiGroup: 'other.com', kind: 'Timer' },
      projection: { group: 'example.com', kind: 'CronTab', plural: 'timers' },
    });
    await add('neighbour', { resource: { apiGroup: 'other.com', kind: 'Timer' } });
    await settled('neighbour');
    await eventually(async () => {
      expect(await condition('second', 'SchemaPublished')).toMatchObject({
        status: 'False',
        reason: 'KindTaken',
        message: expect.stringContaining('PublishedResource first') as unknown,
      });
    });
    expect((await schemas()).map(({ spec: { group, names } }) => `${names.plural}.${group}`).sort()).toEqual([
      'crontabs.example.com',
      'timers.other.com',
    ]);
    expect(await schemaOf('second')).toBeUndefined();
    expect([await schemaOf('first'), (await condition('first', 'SchemaPublished'))?.status]).toEqual([
      published,
      'True',
    ]);
    // One that is published does not lose its kind to another that wants it later, though that is older.
    await edit('first', { spec: { projection: { kind: 'Timer', plural: 'crontabs', group: 'other.com' } } });
    await eventually(async () => {
      expect(await condition('first', 'SchemaPublished')).toMatchObject({
        status: 'False',
        reason: 'KindTaken',
        message: expect.stringContaining('PublishedResource neighbour') as unknown,
      });
    });
    expect([await schemaOf('first'), await schemaOf('second')]).toEqual([published, undefined]);
    await world.service.delete(resources.publishedResources, { name: 'neighbour' });
    await eventually(async () => {
      expect((await condition('first', 'SchemaPublished'))?.status).toBe('True');
    });
    expect(await schemaOf('first')).not.toBe(published);
    await settled('second');
  });

  it('publishes no kind that the export still has of another resource, though nobody publishes that any more', async () => {
    await install();
    await install({ group: 'other.com', kind: 'Timer' });
    await start();
    const inExport = async (...names: readonly string[]): Promise<void> => {
      const entries = names.map((schema) => ({
        name: schema.split('.')[1],
        group: schema.split('.').slice(2).join('.'),
        schema,
        storage: { crd: {} },
      }));
      await world.providerClient.patch(
        kcpResources.apiExports,
        { name: EXPORT },
        { type: 'merge', patch: { spec: { resources: entries } } },
      );
    };
    await add('first');
    const gone = await settled('first');
    await inExport(gone);
    await world.service.delete(resources.publishedResources, { name: 'first' });
    await add('second', {
      resource: { apiGroup: 'other.com', kind: 'Timer' },
      projection: { group: 'example.com', kind: 'CronTab', plural: 'timers' },
    });
    await eventually(async () => {
      expect(await condition('second', 'SchemaPublished')).toMatchObject({
        status: 'False',
        reason: 'KindTaken',
        message: expect.stringContaining(`still has as ${gone}`) as unknown,
      });
    });
    expect(await schemaOf('second')).toBeUndefined();
    // The same resource again takes over what is left of it.
    await add('third');
    expect(await settled('third')).toBe(gone);
    await eventually(async () => {
      expect(await condition('second', 'SchemaPublished')).toMatchObject({
        message: expect.stringContaining('PublishedResource third') as unknown,
      });
    });
    await world.service.delete(resources.publishedResources, { name: 'third' });
    await eventually(async () => {
      expect(await condition('second', 'SchemaPublished')).toMatchObject({
        message: expect.stringContaining('no PublishedResource') as unknown,
      });
    });
    await inExport();
    const published = await settled('second');
    // What is published keeps its kind, whatever is put into the export beside it.
    await inExport(gone, published);
    await edit('second', { metadata: { labels: { looked: 'again' } } });
    await install({ group: 'third.com', kind: 'Clock' });
    await add('other', { resource: { apiGroup: 'third.com', kind: 'Clock' } });
    await settled('other');
    expect([await schemaOf('second'), (await condition('second', 'SchemaPublished'))?.status]).toEqual([
      published,
      'True',
    ]);
  });

  it('leaves alone what another agent made, what ends, and what the selector does not select', async () => {
    await install();
    await world.start(
      createAPIResourceSchema({
        agent: { ...agent, name: 'other', selector: 'agent=other' },
        discover: (source) => world.discover(source),
      }),
    );
    await add('theirs', {}, { labels: { agent: 'other' } });
    const name = await settled('theirs');
    await start();
    await add('mine');
    expect(await settled('mine')).toBe(name);
    const { metadata } = (await schemas())[0] ?? { metadata: { labels: {} } };
    expect(metadata.labels).toEqual({ 'syncagent.kcp.io/agent-name': 'other' });
    await eventually(async () => {
      expect(await condition('mine', 'SchemaPublished')).toMatchObject({ status: 'True' });
    });
    const before = await world.versions();
    await edit('mine', { metadata: { labels: { agent: 'nobody' } } });
    await add('last', { projection: { kind: 'Last' } });
    await settled('last');
    expect((await world.versions()).split('\n')).toEqual(
      expect.arrayContaining(before.split('\n').filter((line) => line.startsWith('APIResourceSchema'))),
    );
  });

  it('holds a change that breaks objects until it is approved', async () => {
    await install();
    await start();
    await add('a', {}, { annotations: { 'hawser.dev/schema-update': 'Safe' } });
    const before = await settled('a');
    await change({ spec: { cronSpec: { type: 'string', maxLength: 5 }, image: { type: 'string' } } });
    const held = await eventually(async () => {
      const found = await condition('a', 'SchemaUpdateHeld');
      expect(found).toMatchObject({ status: 'True', reason: 'BreakingSchemaChange' });
      return found?.message ?? '';
    });
    expect(held).toContain('spec.cronSpec: may have at most this length: 5');
    expect(await schemaOf('a')).toBe(before);
    expect(await schemas()).toHaveLength(1);
    expect(await world.events('service', 'PublishedResource')).toContain(`BreakingSchemaChange: ${held}`);
    const approval = /hawser\.dev\/schema-approved: (\S+)\./u.exec(held)?.[1];
    await edit('a', { metadata: { annotations: { 'hawser.dev/schema-approved': approval } } });
    await eventually(async () => {
      expect(await schemaOf('a')).toContain(approval);
    });
    expect(await condition('a', 'SchemaUpdateHeld')).toBeUndefined();
    // The approval was for that one.
    await change({ spec: { cronSpec: { type: 'integer' }, image: { type: 'string' } } });
    await eventually(async () => {
      expect(await condition('a', 'SchemaUpdateHeld')).toMatchObject({
        reason: 'BreakingSchemaChange',
        message: expect.stringContaining('is integer, was string') as unknown,
      });
    });
  });

  it('writes the name of the schema alone, and once, where the CRD of the Go agent keeps nothing else', async () => {
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/status';
    await world.service.patch(
      customResourceDefinitions,
      { name: 'publishedresources.syncagent.kcp.io' },
      {
        type: 'json',
        operations: [
          { op: 'replace', path, value: { type: 'object', properties: { resourceSchemaName: { type: 'string' } } } },
        ],
      },
    );
    await install();
    await eventually(async () => {
      await world.service.create(resources.publishedResources, publish('probe')).catch(() => undefined);
      const { status } = await world.service.patch<PublishedResource>(
        resources.publishedResources,
        { name: 'probe' },
        { type: 'merge', patch: { status: { phase: 'x' } } },
        { subresource: 'status' },
      );
      expect(status?.phase).toBeUndefined();
    });
    await start();
    await add('a');
    const name = await settled('a');
    const before = await world.published('a');
    expect(before.status).toEqual({ resourceSchemaName: name });
    await world.restart();
    await start();
    await add('marker', { projection: { kind: 'Marker' } });
    await settled('marker');
    expect(await world.published('a')).toEqual(before);
  });

  it('looks again at types that have no CRD', async () => {
    let spec: object = { cronSpec: { type: 'string' } };
    let asked = 0;
    const discover = () => {
      asked++;
      return Promise.resolve({
        ...crontabs({ group: 'aggregated.example', spec: spec as Readonly<Record<string, unknown>> }),
        metadata: { name: 'crontabs.aggregated.example', generation: 0 },
      });
    };
    await start({ discover, recheckMs: 50 });
    await add('a', { resource: { apiGroup: 'aggregated.example', kind: 'CronTab' } });
    const before = await settled('a');
    spec = { cronSpec: { type: 'string' }, image: { type: 'string' } };
    await eventually(async () => {
      expect(await schemaOf('a')).not.toBe(before);
    });
    expect(asked).toBeGreaterThan(1);
  });
});
