import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { CRDSpec, CustomResourceDefinition } from '@hawser/crd';
import { parse } from '@hawser/json';
import type { APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';
import { schemaName } from './hash/schema-name.js';
import { project } from './project.js';
import { ProjectionError, type ProjectionProblemCode } from './projection-error.js';
import { toAPIResourceSchema } from './to-api-resource-schema.js';

const schema = { type: 'object', properties: { spec: { type: 'object' } } };
const spec: CRDSpec = {
  group: 'example.com',
  scope: 'Namespaced',
  names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
  versions: [
    {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: schema },
      subresources: { status: {} },
      deprecated: true,
      deprecationWarning: 'old',
      additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.a' }],
      selectableFields: [{ jsonPath: '.spec.a' }],
    },
  ],
};
const crd = (change: Partial<CRDSpec> = {}, annotations?: Record<string, string>): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com', generation: 3, annotations },
  spec: { ...spec, ...change },
});

describe('toAPIResourceSchema', () => {
  it('carries what kcp knows, and says whose it is', () => {
    expect(toAPIResourceSchema(crd(), { agentName: 'lab' })).toEqual({
      apiVersion: 'apis.kcp.io/v1alpha1',
      kind: 'APIResourceSchema',
      metadata: {
        name: schemaName(crd()),
        labels: { 'syncagent.kcp.io/agent-name': 'lab' },
        annotations: { 'syncagent.kcp.io/agent-name': 'lab', 'syncagent.kcp.io/source-generation': '3' },
      },
      spec: { ...spec, versions: [{ ...spec.versions[0]!, schema }] },
    });
  });

  it('several versions need a conversion, and a type without a CRD has generation 0', () => {
    const two = crd({ versions: [spec.versions[0]!, { ...spec.versions[0]!, name: 'v2', storage: false }] });
    expect(toAPIResourceSchema(two, { agentName: 'lab' }).spec.conversion).toEqual({ strategy: 'None' });
    const bare = { ...crd(), metadata: { name: 'x' } };
    expect(toAPIResourceSchema(bare, { agentName: 'lab' }).metadata.annotations).toMatchObject({
      'syncagent.kcp.io/source-generation': '0',
    });
    expect(toAPIResourceSchema(bare, { agentName: 'lab', sourceGeneration: 8 }).metadata.annotations).toMatchObject({
      'syncagent.kcp.io/source-generation': '8',
    });
  });

  it('the group of the core API is written core in the name, and empty in the spec', () => {
    const pods = toAPIResourceSchema(
      crd({ group: '', names: { plural: 'pods', singular: 'pod', kind: 'Pod', listKind: 'PodList' } }),
      { agentName: 'lab' },
    );
    expect(pods.metadata.name).toMatch(/^v[0-9a-f]{8}\.pods\.core$/u);
    expect(pods.spec.group).toBe('');
  });

  it('an API in a group of Kubernetes takes its approval along, any other does not', () => {
    const approved = { 'api-approved.kubernetes.io': 'https://example.com/1', other: 'x' };
    const gateways = { group: 'gateway.networking.k8s.io' };
    expect(toAPIResourceSchema(crd(gateways, approved), { agentName: 'lab' }).metadata.annotations).toEqual({
      'api-approved.kubernetes.io': 'https://example.com/1',
      'syncagent.kcp.io/agent-name': 'lab',
      'syncagent.kcp.io/source-generation': '3',
    });
    expect(toAPIResourceSchema(crd({}, approved), { agentName: 'lab' }).metadata.annotations).not.toHaveProperty(
      'api-approved.kubernetes.io',
    );
  });

  it.each<[string, CustomResourceDefinition, ProjectionProblemCode, string]>([
    [
      'what every workspace has: ConfigMaps',
      crd({
        group: '',
        names: { plural: 'configmaps', singular: 'configmap', kind: 'ConfigMap', listKind: 'ConfigMapList' },
      }),
      'ServedByKcp',
      'spec.projection.group',
    ],
    [
      'what every workspace has: Roles',
      crd(
        {
          group: 'rbac.authorization.k8s.io',
          names: { plural: 'roles', singular: 'role', kind: 'Role', listKind: 'RoleList' },
        },
        { 'api-approved.kubernetes.io': 'x' },
      ),
      'ServedByKcp',
      'spec.projection.group',
    ],
    ["kcp's own", crd({ group: 'apis.kcp.io' }), 'ServedByKcp', 'spec.projection.group'],
    [
      'a group of Kubernetes without approval',
      crd({ group: 'networking.k8s.io' }),
      'NotApproved',
      'spec.projection.group',
    ],
    ['the group core', crd({ group: 'core' }), 'Group', 'spec.projection.group'],
    ['a group without a dot', crd({ group: 'example' }), 'Group', 'spec.projection.group'],
    ['a group that is not a name', crd({ group: 'Example.com' }), 'Group', 'spec.projection.group'],
    ['a kind that is none', crd({ names: { ...spec.names, kind: 'Thing 1' } }), 'Names', 'spec.projection.kind'],
    ['a kind that is its list', crd({ names: { ...spec.names, listKind: 'Thing' } }), 'Names', 'spec.projection.kind'],
    ['a plural that is none', crd({ names: { ...spec.names, plural: 'Things' } }), 'Names', 'spec.projection.plural'],
    [
      'a plural that is too long',
      crd({ names: { ...spec.names, plural: 'x'.repeat(64) } }),
      'Names',
      'spec.projection.plural',
    ],
    [
      'a short name that is none',
      crd({ names: { ...spec.names, shortNames: ['ok', 'N O'] } }),
      'Names',
      'spec.projection.shortNames',
    ],
    [
      'a category that is none',
      crd({ names: { ...spec.names, categories: [''] } }),
      'Names',
      'spec.projection.categories',
    ],
    [
      'a version that kcp does not allow',
      crd({ versions: [{ ...spec.versions[0]!, name: 'v0' }] }),
      'VersionName',
      'spec.projection.versions',
    ],
    [
      'a version name that is none',
      crd({ versions: [{ ...spec.versions[0]!, name: 'stable' }] }),
      'VersionName',
      'spec.projection.versions',
    ],
    [
      'a version without a schema',
      crd({ versions: [{ ...spec.versions[0]!, schema: undefined }] }),
      'Schema',
      'spec.resource.versions',
    ],
  ])('refuses %s', (_, bad, code, path) => {
    const act = (): unknown => toAPIResourceSchema(bad, { agentName: 'lab' });
    expect(act).toThrow(ProjectionError);
    expect(act).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ code, path })] }));
  });

  it('says all that is wrong at once', () => {
    const bad = crd({
      group: 'example',
      names: { ...spec.names, plural: 'T' },
      versions: [{ ...spec.versions[0]!, name: 'v0', schema: undefined }],
    });
    expect(() => toAPIResourceSchema(bad, { agentName: 'lab' })).toThrow(
      expect.objectContaining({
        code: 'Group',
        problems: ['Group', 'Names', 'VersionName', 'Schema'].map(
          (code) => expect.objectContaining({ code }) as unknown,
        ),
      }),
    );
  });
});

// What the Go agent made of CRDs.
const folder = join(import.meta.dirname, '../../../../testing/testenv/recorded/api-syncagent-0.7.0');

describe('what the Go agent made', () => {
  const load = (name: string): Readonly<Record<string, readonly unknown[]>> =>
    parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as never;
  const recorded = load('kcp-provider')[
    '/apis/apis.kcp.io/v1alpha1/apiresourceschemas'
  ] as readonly APIResourceSchema[];
  const published = load('service')[
    '/apis/syncagent.kcp.io/v1alpha1/publishedresources'
  ] as readonly PublishedResource[];

  it.each(['databases', 'zones'])('of %s is made here, too, under the same name', (name) => {
    const resource = published.find(({ metadata }) => metadata.name === name)!;
    const expected = recorded.find(({ metadata }) => metadata.name === resource.status?.resourceSchemaName)!;
    // The CRD was not recorded: it is the schema with the names that the projection replaced.
    const { kind } = resource.spec.resource;
    const source: CustomResourceDefinition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${name}.example.com`, generation: 1 },
      spec: {
        group: 'example.com',
        scope: expected.spec.scope,
        names: { plural: name, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
        versions: expected.spec.versions.map((version) => ({
          ...version,
          schema: { openAPIV3Schema: version.schema },
        })),
        conversion: { strategy: 'None' },
      },
    };
    const made = toAPIResourceSchema(project(source, resource), { agentName: 'lab' });
    expect(made.metadata.name).toBe(expected.metadata.name);
    expect(made.metadata.labels).toEqual(expected.metadata.labels);
    expect(expected.metadata.annotations).toMatchObject(made.metadata.annotations!);
    expect({ nameValidation: 'DNS1123Subdomain', ...made.spec }).toEqual(expected.spec);
  });
});
