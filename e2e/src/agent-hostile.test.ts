import { beforeAll, expect } from '@jest/globals';
import type { Client, UnstructuredObject } from '@hawser/client';
import { getCondition } from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { databaseRights, databasesOf, key, local, remote, secrets } from './agent-databases.js';
import { describeAgentSystem } from './agent-suite.js';
import type { ConsumerWorkspace } from './agent-system.js';
import { LONG } from './copies.js';

const operators = { password: Buffer.from('of the operator').toString('base64') };
const secret = (namespace: string, name: string, fields: object = {}): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  ...fields,
});

// With all rights in its own workspace, against a real API server as the service cluster, with the admission policies of the chart.
describeAgentSystem(
  'a user of a workspace',
  {
    name: 'agent-hostile',
    denied: /writes and deletes no Secret for which Kubernetes issues or takes a token/u,
    rights: { publishedResources: databaseRights, relatedFromKcp: [{ group: '', resources: ['secrets'] }] },
  },
  (system, it) => {
    const { install, publish, served, create, copyOf, placed, gone } = databasesOf(system);
    let a: ConsumerWorkspace;
    let b: ConsumerWorkspace;
    const copyNamespaceOf = (of: ConsumerWorkspace): string => `ws-${of.cluster}`;
    const related = (name: string): string => `${name}-superuser`;
    const service = (): Client => system().service.client;

    beforeAll(async () => {
      await install();
      await system().startAgent();
      await publish({
        related: [
          {
            identifier: 'config',
            origin: 'kcp',
            kind: 'Secret',
            cleanup: true,
            object: { template: { template: '{{ .Object.metadata.name }}-superuser' } },
          },
        ],
      });
      a = await system().consumer('a');
      b = await system().consumer('b');
      await served(a, b);
      await create(b, 'neighbour');
      await placed(b, 'neighbour');
    }, 240_000);

    /** What the PublishedResource says of an object that is not in step. */
    const problemReported = (name: string, words: RegExp): Promise<void> =>
      eventually(async () => {
        const condition = getCondition((await system().published('databases')).status?.conditions, 'ObjectsInSync');
        expect(
          condition?.message.split('; ').find((part) => part.includes(`${a.cluster}|default/${name}: `)) ?? '',
        ).toMatch(words);
      }, LONG);
    const neighbourWorks = async (notes: string): Promise<void> => {
      await b.client.patch(remote, key('neighbour'), { type: 'merge', patch: { spec: { notes } } });
      await eventually(async () => {
        expect((await placed(b, 'neighbour')).spec).toMatchObject({ notes });
      }, LONG);
    };

    it('neither takes over, nor reads by guessing, nor deletes the Secret of an operator that stands where its related one would', async () => {
      await create(a, 'pg');
      await placed(a, 'pg');
      await service().create(
        { group: '', version: 'v1', resource: 'configmaps' },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: copyNamespaceOf(a), name: 'cluster' } },
      );
      const {
        metadata: { uid = '' },
      } = await service().get(
        { group: '', version: 'v1', resource: 'configmaps' },
        { namespace: copyNamespaceOf(a), name: 'cluster' },
      );
      const {
        metadata: { resourceVersion },
      } = await service().create(secrets, {
        ...secret(copyNamespaceOf(a), related('pg'), { data: operators }),
        metadata: {
          namespace: copyNamespaceOf(a),
          name: related('pg'),
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'cluster', uid, controller: true }],
        },
      });
      const untouched = async (): Promise<void> => {
        expect(await service().get(secrets, { namespace: copyNamespaceOf(a), name: related('pg') })).toMatchObject({
          metadata: { resourceVersion },
          data: operators,
        });
      };

      await a.client.create(secrets, secret('default', related('pg')));
      await problemReported('pg', /stands where the copy belongs, and ConfigMap "cluster" controls it/u);
      // A right guess is answered as a wrong one is.
      for (const data of [{ password: Buffer.from('wrong').toString('base64') }, operators]) {
        await a.client.patch(secrets, key(related('pg')), { type: 'merge', patch: { data } });
        await neighbourWorks(`after ${data.password}`);
        await problemReported('pg', /stands where the copy belongs, and ConfigMap "cluster" controls it/u);
        expect((await a.client.get(secrets, key(related('pg')))).metadata.finalizers).toBeUndefined();
        await untouched();
      }
      await a.client.delete(secrets, key(related('pg')));
      await a.client.delete(remote, key('pg'));
      await gone(a, 'pg');
      await untouched();
    });

    it('has no token made of a ServiceAccount of the service cluster', async () => {
      await create(a, 'thief');
      await placed(a, 'thief');
      await a.client.create(secrets, {
        ...secret('default', related('thief'), { type: 'kubernetes.io/service-account-token' }),
        metadata: {
          namespace: 'default',
          name: related('thief'),
          annotations: { 'kubernetes.io/service-account.name': 'default' },
        },
      });
      await problemReported('thief', /writes and deletes no Secret for which Kubernetes issues or takes a token/u);
      expect(
        await system().service.find(secrets, { namespace: copyNamespaceOf(a), name: related('thief') }),
      ).toBeUndefined();
      await neighbourWorks('beside a token');
      await a.client.delete(secrets, key(related('thief')));
      await a.client.delete(remote, key('thief'));
      await gone(a, 'thief');
    });

    it('takes its copy from no agent, and gives it to none, by marks that it writes', async () => {
      await create(
        a,
        'marked',
        { size: 'small' },
        {
          labels: { 'syncagent.kcp.io/agent-name': 'other', 'syncagent.kcp.io/remote-object-cluster': b.cluster },
          annotations: { 'syncagent.kcp.io/remote-object-name': 'neighbour' },
        },
      );
      const { metadata } = await placed(a, 'marked');
      expect(metadata.labels).toMatchObject({
        'syncagent.kcp.io/agent-name': 'agent',
        'syncagent.kcp.io/remote-object-cluster': a.cluster,
      });
      await a.client.patch(remote, key('marked'), { type: 'merge', patch: { spec: { size: 'large' } } });
      await eventually(async () => {
        expect((await placed(a, 'marked')).spec).toMatchObject({ size: 'large' });
      }, LONG);
      await neighbourWorks('beside marks');
      await a.client.delete(remote, key('marked'));
      await gone(a, 'marked');
      expect(await copyOf(b, 'neighbour')).toBeDefined();
    });

    it('holds up no other workspace with objects of 1.3 MB', async () => {
      for (let n = 0; n < 6; n++) await create(a, `large-${n}`, { notes: 'x'.repeat(1_300_000) });
      await neighbourWorks('beside large ones');
      for (let n = 0; n < 6; n++)
        expect((await placed(a, `large-${n}`)).spec).toMatchObject({ notes: expect.stringMatching(/^x{1000}/u) });
      for (let n = 0; n < 6; n++) await a.client.delete(remote, key(`large-${n}`));
      for (let n = 0; n < 6; n++) await gone(a, `large-${n}`);
      await eventually(async () => {
        expect((await service().list(local, { namespace: copyNamespaceOf(a) })).items).toEqual([]);
      }, LONG);
    });
  },
);
