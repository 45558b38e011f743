import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Client, createClient, type KubeObject } from '@hawser/client';
import { type CustomResourceDefinition, customResourceDefinitions } from '@hawser/crd';
import { canonical, parse } from '@hawser/json';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { cleanCRD } from './clean-crd.js';
import { discoverCRD } from './discover-crd.js';
import { findResource, type Reader } from './find-resource.js';
import { modelsOfDocument } from './openapi/models.js';
import { synthesisedCRD } from './synthesise.js';

const schema = (more: object = {}): object => ({
  openAPIV3Schema: {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    ...more,
  },
});
const names = { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList', shortNames: ['ct'] };

const cronTabs: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.discovery.example.com', labels: { a: 'b' }, annotations: { note: 'x' } },
  spec: {
    group: 'discovery.example.com',
    scope: 'Namespaced',
    names,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: false,
        schema: schema(),
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
      },
      { name: 'v2', served: true, storage: true, schema: schema({ description: 'two' }) },
      { name: 'v3alpha1', served: false, storage: false, schema: schema() },
    ],
  },
};

interface APIService extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly status: string }[] };
}

// A control plane of its own: an aggregated API is broken here.
describeWithControlPlane('discoverCRD', () => {
  let cluster: ControlPlane;
  let connected: Client;
  /** The same client, and a list of what it was asked. */
  let client: Reader;
  const asked: string[] = [];

  beforeAll(async () => {
    cluster = await startControlPlane();
    connected = createClient({ name: 'service', connection: cluster.connection });
    client = {
      raw: (...args) => {
        asked.push(args[1]);
        return connected.raw(...args);
      },
      get: (...args) => {
        asked.push(args[1].name);
        return connected.get(...args);
      },
    };
    await connected.create(customResourceDefinitions, cronTabs);
    await connected.create({ group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' }, {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.broken.example.com' },
      spec: {
        group: 'broken.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        insecureSkipTLSVerify: true,
        service: { namespace: 'default', name: 'nobody', port: 443 },
      },
    } as KubeObject);
    await established(cronTabs.metadata.name);
  });

  afterAll(async () => {
    await connected.close();
    await cluster.stop();
  });

  const established = (name: string): Promise<CustomResourceDefinition> =>
    eventually(async () => {
      const crd = await client.get<CustomResourceDefinition>(customResourceDefinitions, { name });
      expect(crd.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }));
      return crd;
    });

  const versionsOf = ({ spec }: CustomResourceDefinition): readonly string[] =>
    spec.versions.map(({ name, storage }) => `${name}${storage ? ' (stored)' : ''}`);

  it('an aggregated API that is broken is no obstacle to others', async () => {
    const services = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' };
    await eventually(async () => {
      const { status } = await connected.get<APIService>(services, { name: 'v1.broken.example.com' });
      expect(status?.conditions?.map((condition) => condition.status)).toEqual(['False']);
    });
    expect((await discoverCRD(client, { group: 'rbac.authorization.k8s.io', kind: 'Role' })).spec.names.plural).toBe(
      'roles',
    );
    expect((await discoverCRD(client, { group: 'discovery.example.com', kind: 'CronTab' })).spec.names.plural).toBe(
      'crontabs',
    );
    await expect(discoverCRD(client, { group: 'broken.example.com', kind: 'Thing' })).rejects.toMatchObject({
      name: 'ApiError',
    });
  });

  it('a Role has no CRD, and gets one', async () => {
    const crd = await discoverCRD(client, { group: 'rbac.authorization.k8s.io', kind: 'Role' });
    expect(crd.metadata).toEqual({
      name: 'roles.rbac.authorization.k8s.io',
      annotations: { 'api-approved.kubernetes.io': expect.stringContaining('https://') as unknown },
    });
    expect(crd.spec).toMatchObject({
      group: 'rbac.authorization.k8s.io',
      scope: 'Namespaced',
      conversion: { strategy: 'None' },
      names: { plural: 'roles', singular: 'role', kind: 'Role', listKind: 'RoleList' },
    });
    expect(versionsOf(crd)).toEqual(['v1 (stored)']);
    expect(crd.spec.versions[0]).toMatchObject({
      served: true,
      subresources: {},
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { metadata: { type: 'object' }, rules: { type: 'array', items: { required: ['verbs'] } } },
        },
      },
    });
  });

  it('a HorizontalPodAutoscaler has two versions, a status and no scale', async () => {
    const { spec } = await discoverCRD(client, { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' });
    expect(spec.names).toEqual({
      plural: 'horizontalpodautoscalers',
      singular: 'horizontalpodautoscaler',
      kind: 'HorizontalPodAutoscaler',
      listKind: 'HorizontalPodAutoscalerList',
      shortNames: ['hpa'],
      categories: ['all'],
    });
    expect(spec.versions.map(({ name, storage, subresources }) => [name, storage, subresources])).toEqual([
      ['v1', false, { status: {} }],
      ['v2', true, { status: {} }],
    ]);
  });

  it('a ConfigMap is of the core API', async () => {
    const crd = await discoverCRD(client, { group: '', kind: 'ConfigMap' });
    expect(crd.metadata).toEqual({ name: 'configmaps.core' });
    expect(crd.spec.group).toBe('');
    expect(crd.spec.names.shortNames).toEqual(['cm']);
    expect(crd.spec.versions[0]?.schema?.openAPIV3Schema).toMatchObject({
      properties: { data: { type: 'object', additionalProperties: { type: 'string' } } },
    });
  });

  it('a CRD is taken as it is, with all versions, and without what is not published', async () => {
    const stored = await established(cronTabs.metadata.name);
    const crd = await discoverCRD(client, { group: 'discovery.example.com', kind: 'CronTab' });
    expect(crd).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: stored.metadata.name, generation: stored.metadata.generation },
      spec: { ...stored.spec, conversion: { strategy: 'None' } },
    });
    expect(versionsOf(crd)).toEqual(['v1', 'v2 (stored)', 'v3alpha1']);
    expect(crd.spec.names).toEqual(names);
  });

  it('only the group of the kind is asked, and nothing at all for a CRD that is at hand', async () => {
    asked.splice(0);
    await discoverCRD(client, { group: 'discovery.example.com', kind: 'CronTab' });
    expect(asked).toEqual([
      '/apis/discovery.example.com',
      '/apis/discovery.example.com/v2',
      '/apis/discovery.example.com/v1',
      cronTabs.metadata.name,
    ]);
    const stored = await established(cronTabs.metadata.name);
    asked.splice(0);
    expect(
      await discoverCRD(client, { group: 'discovery.example.com', kind: 'CronTab' }, { installed: () => stored }),
    ).toEqual(cleanCRD(stored));
    expect(asked).toEqual([]);
    await discoverCRD(client, { group: 'rbac.authorization.k8s.io', kind: 'Role' }, { installed: () => undefined });
    expect(asked).not.toContain('/openapi/v2');
  });

  it.each([
    ['no such group', { group: 'nothing.example.com', kind: 'Thing' }],
    ['no such kind', { group: 'discovery.example.com', kind: 'Thing' }],
    ['a kind in another case', { group: 'discovery.example.com', kind: 'crontab' }],
    ['no such kind in the core API', { group: '', kind: 'Deployment' }],
    ['a group that is none', { group: 'a/../b', kind: 'Thing' }],
  ])('%s: says so', async (_, wanted) => {
    await expect(discoverCRD(client, wanted)).rejects.toMatchObject({
      name: 'DiscoveryError',
      code: 'NotServed',
      retryable: true,
    });
  });

  it('a CRD that is not established, or is going, is not published', async () => {
    const clash = {
      ...cronTabs,
      metadata: { name: 'crontabz.discovery.example.com' },
      spec: { ...cronTabs.spec, names: { ...names, plural: 'crontabz', singular: 'crontabz', shortNames: [] } },
    };
    await connected.create(customResourceDefinitions, clash);
    const refused = await eventually(async () => {
      const crd = await client.get<CustomResourceDefinition>(customResourceDefinitions, { name: clash.metadata.name });
      expect(crd.status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'NamesAccepted', status: 'False' }),
      );
      return crd;
    });
    expect(() => cleanCRD(refused)).toThrow(
      expect.objectContaining({ code: 'NotEstablished', message: expect.stringContaining('NamesAccepted') as unknown }),
    );
    const stored = await established(cronTabs.metadata.name);
    expect(() =>
      cleanCRD({ ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    ).toThrow(expect.objectContaining({ code: 'NotEstablished' }));
    await connected.delete(customResourceDefinitions, { name: clash.metadata.name });
  });

  it('OpenAPI v2 and v3 give the same CRD for every kind that is built in', async () => {
    const v2 = modelsOfDocument(await client.raw('GET', '/openapi/v2'));
    const v3 = new Map<string, ReturnType<typeof modelsOfDocument>>();
    const kinds = new Set<string>();
    for (const node of v2.values()) {
      for (const { group, kind } of (node['x-kubernetes-group-version-kind'] ?? []) as readonly {
        readonly group: string;
        readonly kind: string;
      }[])
        kinds.add(`${group}/${kind}`);
    }
    const different: string[] = [];
    let compared = 0;
    for (const [group = '', kind = ''] of [...kinds].map((one) => one.split('/'))) {
      if (kind.endsWith('List') || group.endsWith('example.com')) continue;
      const resource = await findResource(client, { group, kind }, {}).catch(() => undefined);
      if (resource === undefined) continue;
      for (const version of resource.versions.keys()) {
        const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
        if (!v3.has(path)) v3.set(path, modelsOfDocument(await client.raw('GET', path)));
      }
      const modelsOf = (version: string): ReturnType<typeof modelsOfDocument> =>
        v3.get(group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`)!;
      const made = (pick: (version: string) => ReturnType<typeof modelsOfDocument>): string => {
        try {
          return canonical(
            synthesisedCRD(resource, new Map([...resource.versions.keys()].map((version) => [version, pick(version)]))),
          );
        } catch (error) {
          return String(error);
        }
      };
      compared++;
      if (made(() => v2) !== made(modelsOf)) different.push(`${group}/${kind}`);
    }
    expect(different).toEqual([]);
    expect(compared).toBeGreaterThan(50);
  });

  it('defaults, enums and examples come back as they are hashed: keys in order, numbers as Go writes them', async () => {
    const text = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"odds.discovery.example.com"},"spec":{"group":"discovery.example.com","scope":"Namespaced",
      "names":{"plural":"odds","singular":"odd","kind":"Odd","listKind":"OddList"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
        "o":{"type":"object","default":{"z":{"b":1.0,"a":"<&>"},"a":[1e3,-0.0,1e21,1e-7,9223372036854775807]},"x-kubernetes-preserve-unknown-fields":true},
        "n":{"type":"number","enum":[1.50,2E2,9007199254740993,0.1],"example":1.0},
        "i":{"type":"integer","format":"int64","default":9223372036854775807}}}}}}}]}}`;
    await cluster.kubectl(['apply', '-f', '-'], { input: text });
    const answer = await cluster.kubectl([
      'get',
      '--raw',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/odds.discovery.example.com',
    ]);
    const { spec } = parse(answer) as unknown as CustomResourceDefinition;
    const { o, n, i } = (
      spec.versions[0]!.schema!.openAPIV3Schema as {
        properties: { spec: { properties: Record<string, Record<string, unknown>> } };
      }
    ).properties.spec.properties;
    for (const [field, value] of [
      ['default', o!['default']],
      ['enum', n!['enum']],
      ['example', n!['example']],
      ['default', i!['default']],
    ] as const) {
      expect(answer).toContain(`"${field}":${canonical(value)}`);
    }
    await connected.delete(customResourceDefinitions, { name: 'odds.discovery.example.com' });
  });
});
