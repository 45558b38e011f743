import { randomBytes } from 'node:crypto';
import { beforeAll, expect } from '@jest/globals';
import type { UnstructuredObject } from '@hawser/client';
import { parse } from '@hawser/json';
import { resources as kcpResources } from '@hawser/kcp-api';
import { type PublishedResourceSpec, getCondition, resources } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, order, remote, secrets } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import { type ConsumerWorkspace, EXPORT } from './agent-system.js';
import { LONG, type ServiceObject } from './copies.js';
import { type Program, working } from './program.js';

const OTHERS = { agent: 'other' };

describeAgentSystem(
  'an agent and what is wrong',
  {
    name: 'agent-bad-input',
    rights: { publishedResources: databaseRights, relatedFromService: [{ group: '', resources: ['secrets'] }] },
  },
  (system, it) => {
    const { install, publish, served, create, copyOf, placed, gone, conditionIs } = databasesOf(system);
    let agent: Program;
    let a: ConsumerWorkspace;
    let shy: ConsumerWorkspace;

    beforeAll(async () => {
      await install();
    });

    const add = (name: string, spec: Partial<PublishedResourceSpec>, labels = {}): Promise<void> =>
      system().publish({
        metadata: { name, labels },
        spec: { resource: { apiGroup: 'example.com', kind: 'Database' }, ...spec },
      });
    /** An object of a workspace and why it is not in step, as the PublishedResource says it. */
    const problemReported = (of: ConsumerWorkspace, name: string, words: RegExp): Promise<void> =>
      eventually(async () => {
        const condition = getCondition((await system().published('databases')).status?.conditions, 'ObjectsInSync');
        expect(condition?.status).toBe('False');
        const report =
          condition?.message.split('; ').find((part) => part.includes(`${of.cluster}|default/${name}: `)) ??
          condition?.message;
        expect(report).toContain(`${of.cluster}|default/${name}: `);
        expect(report).toMatch(words);
      }, LONG);
    const eventsOf = async ({ client }: ConsumerWorkspace, name: string): Promise<readonly string[]> => {
      const { items } = await client.list<
        UnstructuredObject & { readonly involvedObject: { readonly name: string }; readonly reason: string }
      >({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' });
      return items.filter(({ involvedObject }) => involvedObject.name === name).map(({ reason }) => reason);
    };
    const remove = async (of: ConsumerWorkspace, ...names: readonly string[]): Promise<void> => {
      for (const name of names) {
        await of.client.delete(remote, key(name));
        await gone(of, name);
      }
    };
    let neighbours = 0;
    const neighbourWorks = async (): Promise<void> => {
      const name = `neighbour-${neighbours++}`;
      await create(a, name);
      await placed(a, name);
    };

    /** Events on a PublishedResource. */
    const eventReported = async (name: string, reason: string, words: RegExp): Promise<void> =>
      eventually(async () => {
        const { items } = await system().service.client.list<
          UnstructuredObject & {
            readonly involvedObject: { readonly name: string };
            readonly reason: string;
            readonly message: string;
          }
        >({ group: '', version: 'v1', resource: 'events' }, { namespace: 'default' });
        expect(
          items
            .filter((event) => event.involvedObject.name === name && event.reason === reason)
            .map(({ message }) => message),
        ).toContainEqual(expect.stringMatching(words));
      }, LONG);

    it('waits for a kcp that is not there, and says so', async () => {
      const { embedded } = system().kcp;
      await add('early', { resource: { apiGroup: 'example.com', kind: 'Early' } });
      await embedded?.down();
      agent = await system().startAgent({ wait: false, args: ['--published-resource-selector=agent!=other'] });
      // A real one is not ours to stop.
      if (embedded !== undefined) {
        await eventually(() => {
          expect(agent.log()).toContain('could not start; it is tried again');
        }, LONG);
        await eventReported('early', 'KcpNotReached', /The operator must see to kcp/u);
      }
      await embedded?.up();
      await working(agent, 'syncagent works');
      await system().service.client.delete(resources.publishedResources, { name: 'early' });
      await publish({
        related: [
          {
            identifier: 'credentials',
            origin: 'service',
            kind: 'Secret',
            cleanup: true,
            object: { template: { template: '{{ .Object.metadata.name }}-credentials' } },
          },
        ],
        naming: {
          namespace: 'ws-{{ .ClusterName }}',
          name: '{{ .Object.spec.alias | default .Object.metadata.name }}',
        },
      });
      a = await system().consumer('a');
      shy = await system().consumer('shy', { accepted: (resource) => resource !== 'secrets' });
      await served(a, shy);
      await neighbourWorks();
    });

    it('an export that is missing, or another agent’s, is told', async () => {
      const lost = await system().startAgent({ wait: false, export: 'missing', agentName: 'lost' });
      // Its rights name the exports, so kcp does not even say that there is none.
      await eventually(() => {
        expect(lost.log()).toMatch(
          /could not start; it is tried again .*apiexportendpointslices\.apis\.kcp\.io missing/u,
        );
      }, LONG);
      expect(lost.running).toBe(true);
      await eventReported(
        'databases',
        'KcpNotReached',
        /^Agent "lost" cannot begin, because kcp does not answer, or refuses it: /u,
      );
      await lost.stop();
      const other = await system().startAgent({
        agentName: 'other',
        args: ['--published-resource-selector=agent=other'],
      });
      await add('foreign', { projection: { group: 'other.example.com' } }, OTHERS);
      expect(await conditionIs('foreign', 'Exported', 'APIExportOfAnotherAgent')).toContain('agent agent');
      await other.stop();
      await neighbourWorks();
    });

    it('a PublishedResource that cannot be used says what is wrong with it, all at once', async () => {
      await add('unknown', { resource: { apiGroup: 'missing.example.com', kind: 'Nothing' } });
      await add('twice', { projection: { group: 'kcp.example.com' } });
      await add('misnamed', { projection: { group: 'nodots' } });
      await add('rules', {
        projection: { group: 'kcp.example.com', kind: 'Cache' },
        naming: { name: '{{ .Object.metadata.name' },
        mutation: {
          spec: [
            { regex: { path: 'spec.size', pattern: '(', replacement: 'x' } },
            { cel: { path: 'spec.size', expression: 'self.' } },
            { delete: { path: '' } },
          ],
        },
      });
      expect(await conditionIs('unknown', 'SchemaPublished', 'ResourceNotDiscovered')).toContain('missing.example.com');
      expect(await conditionIs('twice', 'Exported', 'ResourcePublishedTwice')).toContain('databases');
      expect(await conditionIs('misnamed', 'SchemaPublished', 'ProjectionInvalid')).toContain('nodots');
      const message = await conditionIs('rules', 'Valid', 'RulesInvalid');
      for (const field of [
        'spec.naming.name',
        'spec.mutation.spec[0].regex',
        'spec.mutation.spec[1].cel',
        'spec.mutation.spec[2].delete',
      ])
        expect(message).toContain(field);
      await neighbourWorks();
      expect((await system().published('databases')).status?.phase).toBe('Syncing');
    });

    it('a name that is illegal, or taken, holds up that object alone', async () => {
      await create(a, 'illegal', { size: 'small', alias: 'Not A Name' });
      await problemReported(a, 'illegal', /no legal name/u);
      await eventually(async () => {
        expect(await eventsOf(a, 'illegal')).toContain('NamingFailed');
      }, LONG);
      await create(a, 'colliding', { size: 'large', alias: 'neighbour-0' });
      await problemReported(a, 'colliding', /is the copy of another object/u);
      expect(await copyOf(a, 'neighbour-0')).toMatchObject({ spec: { size: 'small' } });
      await neighbourWorks();
      await remove(a, 'illegal', 'colliding');
      expect(await copyOf(a, 'neighbour-0')).toBeDefined();
      await conditionIs('databases', 'ObjectsInSync', 'InStep');
    });

    it('what a workspace has not accepted is told there, and its objects are synced all the same', async () => {
      await create(shy, 'orders');
      const { metadata } = await placed(shy, 'orders');
      await system().service.client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: metadata.namespace, name: 'orders-credentials' },
        data: { password: 'aHVudGVyMg==' },
      } as UnstructuredObject);
      await problemReported(shy, 'orders', /Accept the permission claims/u);
      await eventually(async () => {
        expect(await eventsOf(shy, 'orders')).toContain('ForbiddenInWorkspace');
      }, LONG);
      await shy.client.patch(remote, key('orders'), { type: 'merge', patch: { spec: { size: 'large' } } });
      await eventually(async () => {
        expect(await copyOf(shy, 'orders')).toMatchObject({ spec: { size: 'large' } });
      }, LONG);
      await neighbourWorks();
      await remove(shy, 'orders');
      await conditionIs('databases', 'ObjectsInSync', 'InStep');
    });

    it('a related object that is too large to be remembered is synced, and told', async () => {
      await create(a, 'heavy');
      const { metadata } = await placed(a, 'heavy');
      const password = randomBytes(780_000).toString('base64');
      await system().service.client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: metadata.namespace, name: 'heavy-credentials' },
        data: { password },
      } as UnstructuredObject);
      await eventually(async () => {
        expect(
          ((await a.client.get(secrets, key('heavy-credentials')))['data'] as { password: string }).password.length,
        ).toBe(password.length);
      }, LONG);
      await problemReported(a, 'heavy', /does not fit into the state Secret/u);
      await neighbourWorks();
      await remove(a, 'heavy');
      await eventually(async () => {
        await expect(a.client.get(secrets, key('heavy-credentials'))).rejects.toMatchObject({ code: 'NotFound' });
      }, LONG);
    });

    it('large numbers and names of prototypes are carried as they are', async () => {
      const spec = parse(
        '{"size":"small","least":-9223372036854775808,"most":9223372036854775807,"__proto__":{"polluted":true},"constructor":{"prototype":1}}',
      ) as object;
      await a.client.create(remote, order('odd', spec));
      await placed(a, 'odd');
      await eventually(async () => {
        const copied = (await copyOf(a, 'odd'))?.spec ?? {};
        expect([
          copied['least'],
          copied['most'],
          Object.getOwnPropertyDescriptor(copied, '__proto__')?.value,
          copied['constructor'],
        ]).toEqual([-9223372036854775808n, 9223372036854775807n, { polluted: true }, { prototype: 1 }]);
      }, LONG);
      await a.client.patch(remote, key('odd'), { type: 'merge', patch: { spec: { size: 'large' } } });
      await eventually(async () => {
        expect(await copyOf(a, 'odd')).toMatchObject({ spec: { size: 'large', most: 9223372036854775807n } });
      }, LONG);
      await neighbourWorks();
    });

    it('a workspace that is unbound while it is worked on takes its copies along, and no other', async () => {
      for (let at = 0; at < 5; at++) await create(shy, `brief-${at}`);
      await placed(shy, 'brief-0');
      await shy.client.delete(kcpResources.apiBindings, { name: EXPORT });
      await eventually(async () => {
        const { items } = await system().service.client.list<ServiceObject>(local, {
          labelSelector: `syncagent.kcp.io/remote-object-cluster=${shy.cluster}`,
        });
        expect(items).toEqual([]);
        await expect(shy.client.get(kcpResources.apiBindings, { name: EXPORT })).rejects.toMatchObject({
          code: 'NotFound',
        });
      }, LONG);
      expect(await copyOf(a, 'neighbour-0')).toBeDefined();
      await neighbourWorks();
      await conditionIs('databases', 'ObjectsInSync', 'InStep');
      expect(agent.running).toBe(true);
    });
  },
);
