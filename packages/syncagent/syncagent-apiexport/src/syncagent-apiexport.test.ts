import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AgentWorld, EXPORT, publish, startAgentWorld } from '@hawser/agent-world';
import {
  type PermissionClaim,
  type V1alpha1APIExport,
  exportedResource,
  resources as kcpResources,
} from '@hawser/kcp-api';
import {
  type PublishedResource,
  type PublishedResourceSpec,
  type RelatedResource,
  resources,
} from '@hawser/syncagent-api';
import { eventually } from '@hawser/testenv';
import { createSyncagentAPIExport } from './index.js';

const agent = { name: 'textor', exportName: EXPORT, namespace: 'default' };
const secret: RelatedResource = {
  identifier: 's',
  origin: 'service',
  kind: 'Secret',
  object: { template: { template: 'x' } },
};
const configMap: RelatedResource = { ...secret, identifier: 'c', origin: 'kcp', kind: 'ConfigMap' };

describe('the controller of the APIExport', () => {
  let world: AgentWorld;
  beforeEach(async () => {
    world = await startAgentWorld();
  });
  afterEach(async () => {
    await world.close();
  });

  const start = () => world.start(createSyncagentAPIExport({ agent }));
  /** With an APIResourceSchema as if one had been made. */
  const add = async (name: string, schema: string, spec: Partial<PublishedResourceSpec> = {}): Promise<void> => {
    await world.service.create(resources.publishedResources, publish(name, spec));
    await setSchema(name, schema);
  };
  const setSchema = async (name: string, resourceSchemaName: string): Promise<void> => {
    await world.service.patch(
      resources.publishedResources,
      { name },
      { type: 'merge', patch: { status: { resourceSchemaName } } },
      { subresource: 'status' },
    );
  };
  const edit = async (patch: object): Promise<void> => {
    await world.providerClient.patch(kcpResources.apiExports, { name: EXPORT }, { type: 'merge', patch });
  };
  const schemas = async (): Promise<string[]> =>
    ((await world.export()).spec?.resources ?? []).map(({ schema }) => schema);
  const claims = async (): Promise<string[]> =>
    ((await world.export()).spec?.permissionClaims ?? []).map(({ group = '', resource }) =>
      group === '' ? resource : `${group}/${resource}`,
    );
  const exported = async (name: string): Promise<string | undefined> => {
    const condition = (await world.published(name)).status?.conditions?.find(({ type }) => type === 'Exported');
    return condition === undefined ? undefined : `${condition.status} ${condition.reason}`;
  };
  const gauge = async (): Promise<string | undefined> =>
    (await world.metrics.expose()).body.split('\n').find((line) => line.startsWith('sync_agent_published_resource '));

  it('lists schemas, claims what is needed, and says so once', async () => {
    await start();
    await add('a', 'v1.crontabs.example.com');
    await add('b', 'v1.backups.eksempel.no');
    await eventually(async () => {
      expect(await schemas()).toEqual(['v1.backups.eksempel.no', 'v1.crontabs.example.com']);
    });
    expect(await claims()).toEqual(['events']);
    await world.service.patch(
      resources.publishedResources,
      { name: 'a' },
      { type: 'merge', patch: { spec: { related: [secret, configMap] } } },
    );
    await eventually(async () => {
      expect(await claims()).toEqual(['configmaps', 'events', 'namespaces', 'secrets']);
    });
    await eventually(async () => {
      expect(await exported('a')).toBe('True Exported');
    });
    const asV1alpha1 = await world.providerClient.get<V1alpha1APIExport>(kcpResources.apiExportsV1alpha1, {
      name: EXPORT,
    });
    expect(asV1alpha1.spec?.permissionClaims?.map((claim) => 'all' in claim && claim.all)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect((await world.export()).metadata.annotations).toMatchObject({ 'syncagent.kcp.io/agent-name': 'textor' });
    const events = await world.events('provider', 'APIExport');
    expect(events).toContain('AddingPermissionClaims: Added the permission claims configmaps, namespaces, secrets.');
    expect(events.filter((event) => event.startsWith('AddingResourceSchemas')).join()).toContain(
      'v1.crontabs.example.com',
    );
    expect(events.filter((event) => event.startsWith('Removing'))).toEqual([]);
  });

  it('writes nothing when everything is in step, after a restart too', async () => {
    await add('a', 'v1.crontabs.example.com', { related: [secret] });
    await start();
    await eventually(async () => {
      expect(await exported('a')).toBe('True Exported');
    });
    await eventually(async () => {
      const before = await world.versions();
      await world.restart();
      await start();
      expect(await world.versions()).toBe(before);
    });
    const before = await world.versions();
    await world.service.patch(
      resources.publishedResources,
      { name: 'a' },
      { type: 'merge', patch: { metadata: { labels: { touched: 'yes' } } } },
    );
    await add('marker', 'v1.markers.example.com');
    await eventually(async () => {
      expect(await exported('marker')).toBe('True Exported');
    });
    const untouched = before.split('\n').filter((line) => line.startsWith('Event '));
    expect((await world.versions()).split('\n')).toEqual(expect.arrayContaining(untouched));
  });

  it('keeps foreign schemas and claims, replaces the old schema of its own resource, and keeps those of deleted PublishedResources', async () => {
    const byHand: PermissionClaim[] = [{ group: '', resource: 'configmaps', verbs: ['get'] }];
    await edit({
      spec: {
        resources: [exportedResource('v1.crontabs.example.com'), exportedResource('v7.others.foreign.example')],
        permissionClaims: byHand,
      },
    });
    await start();
    await add('a', 'v2.crontabs.example.com', { related: [secret] });
    await eventually(async () => {
      expect(await schemas()).toEqual(['v2.crontabs.example.com', 'v7.others.foreign.example']);
    });
    expect((await world.export()).spec?.permissionClaims).toContainEqual(
      expect.objectContaining({ resource: 'configmaps', verbs: ['get'] }),
    );
    expect(await world.events('provider', 'APIExport')).toContain(
      'RemovingResourceSchemas: Replaced the schemas v1.crontabs.example.com.',
    );
    await world.service.delete(resources.publishedResources, { name: 'a' });
    await add('b', 'v1.backups.eksempel.no');
    await eventually(async () => {
      expect(await schemas()).toEqual([
        'v1.backups.eksempel.no',
        'v2.crontabs.example.com',
        'v7.others.foreign.example',
      ]);
    });
    await setSchema('b', 'v2.backups.eksempel.no');
    await eventually(async () => {
      expect(await schemas()).toEqual([
        'v2.backups.eksempel.no',
        'v2.crontabs.example.com',
        'v7.others.foreign.example',
      ]);
    });
  });

  it('goes on where one PublishedResource cannot be exported, and mends itself', async () => {
    await start();
    const foreign: RelatedResource = {
      identifier: 'f',
      origin: 'kcp',
      group: 'eksempel.no',
      version: 'v1',
      resource: 'backups',
      object: { template: { template: 'x' } },
    };
    await add('nohash', 'v1.crontabs.example.com', { related: [foreign] });
    await add('badhash', 'v1.badhashes.example.com', {
      related: [{ ...foreign, group: 'other.example', identityHash: 'x'.repeat(10) }],
    });
    await add('nonsense', 'nonsense');
    await add('good', 'v1.goods.example.com');
    await eventually(async () => {
      expect(await exported('nohash')).toBe('False ClaimNeedsIdentityHash');
      expect(await exported('nonsense')).toBe('False SchemaNameInvalid');
      expect(await exported('good')).toBe('True Exported');
    });
    expect(await schemas()).toEqual(expect.arrayContaining(['v1.goods.example.com', 'v1.crontabs.example.com']));
    const { status } = await world.published('nohash');
    expect(status).toMatchObject({
      phase: 'Failed',
      lastError: { reason: 'ClaimNeedsIdentityHash', message: expect.stringContaining('The provider must') as unknown },
    });
    await add('owner', 'v1.backups.eksempel.no');
    await eventually(async () => {
      expect(await exported('nohash')).toBe('True Exported');
    });
    expect(await claims()).not.toContain('eksempel.no/backups');
  });

  it('takes apart a change that kcp refuses, so that the others get in', async () => {
    await start();
    await add('good', 'v1.goods.example.com');
    // A resource name that no claim may have: kcp answers 422 to the whole export.
    await add('bad', 'v1.bads.example.com', {
      related: [
        {
          identifier: 'x',
          origin: 'kcp',
          group: 'other.example',
          version: 'v1',
          resource: 'Not_A_Resource',
          identityHash: 'abc',
          object: { template: { template: 'x' } },
        },
      ],
    });
    await add('late', 'v1.lates.example.com');
    await eventually(async () => {
      expect(await exported('bad')).toBe('False APIExportRefused');
      expect(await exported('late')).toBe('True Exported');
    });
    expect(await schemas()).toEqual(['v1.goods.example.com', 'v1.lates.example.com']);
    await world.service.patch(
      resources.publishedResources,
      { name: 'bad' },
      { type: 'merge', patch: { spec: { related: null } } },
    );
    await eventually(async () => {
      expect(await exported('bad')).toBe('True Exported');
    });
  });

  it('says that the export is not there, or is another agent’s, and goes to work when it can', async () => {
    await edit({ metadata: { annotations: { 'syncagent.kcp.io/agent-name': 'other' } } });
    await start();
    await add('a', 'v1.crontabs.example.com');
    await eventually(async () => {
      expect(await exported('a')).toBe('False APIExportOfAnotherAgent');
    });
    expect(await schemas()).toEqual([]);
    await world.providerClient.delete(kcpResources.apiExports, { name: EXPORT });
    await eventually(async () => {
      expect(await exported('a')).toBe('False APIExportNotFound');
    });
    await world.providerClient.create(kcpResources.apiExports, {
      apiVersion: 'apis.kcp.io/v1alpha2',
      kind: 'APIExport',
      metadata: { name: EXPORT },
    });
    await eventually(async () => {
      expect(await exported('a')).toBe('True Exported');
    });
  });

  it('works only on what the selector selects, and counts that', async () => {
    await world.start(createSyncagentAPIExport({ agent: { ...agent, selector: 'team=a' } }));
    expect(await gauge()).toBe('sync_agent_published_resource 0');
    const labelled = (name: string, team: string): PublishedResource => publish(name, {}, { labels: { team } });
    for (const [name, team] of [
      ['mine', 'a'],
      ['theirs', 'b'],
      ['mine-too', 'a'],
    ] as const) {
      await world.service.create(resources.publishedResources, labelled(name, team));
      await setSchema(name, `v1.${name}.example.com`);
    }
    await eventually(async () => {
      expect(await schemas()).toEqual(['v1.mine-too.example.com', 'v1.mine.example.com']);
    });
    expect(await gauge()).toBe('sync_agent_published_resource 2');
    await world.service.patch(
      resources.publishedResources,
      { name: 'mine' },
      { type: 'merge', patch: { metadata: { labels: { team: 'b' } } } },
    );
    await eventually(async () => {
      expect(await gauge()).toBe('sync_agent_published_resource 1');
    });
    expect(await exported('theirs')).toBeUndefined();
  });
});
