import { describe, expect, it } from '@jest/globals';
import type { CRDVersion, CustomResourceDefinition } from '@hawser/crd';
import type { PublishedResourceSpec, ResourceProjection, SourceResource } from '@hawser/syncagent-api';
import { project, syncedResources } from './project.js';
import { ProjectionError, type ProjectionProblemCode } from './projection-error.js';

const version = (name: string, more: Partial<CRDVersion> = {}): CRDVersion => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: 'object' } },
  subresources: { status: {} },
  ...more,
});

function crdWith(versions: readonly CRDVersion[]): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.example.com', generation: 4, uid: 'u', labels: { a: 'b' } },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      versions,
      names: {
        plural: 'things',
        singular: 'thing',
        kind: 'Thing',
        listKind: 'ThingList',
        shortNames: ['th'],
        categories: ['all'],
      },
    },
  };
}

const single = crdWith([version('v1', { storage: true })]);
const several = crdWith([
  version('v1beta1', { served: false }),
  version('v1'),
  version('v2alpha1'),
  version('v2', { storage: true }),
  version('v3', { subresources: undefined }),
]);
const published = (
  resource: Partial<SourceResource>,
  projection?: ResourceProjection,
): { spec: PublishedResourceSpec } => ({
  spec: {
    resource: { apiGroup: 'example.com', kind: 'Thing', ...resource },
    ...(projection === undefined ? {} : { projection }),
  },
});
const versionsOf = (crd: CustomResourceDefinition): readonly string[] =>
  crd.spec.versions.map(
    ({ name, storage, served }) => `${name}${served ? '' : ' (not served)'}${storage ? ' (stored)' : ''}`,
  );

describe('versions', () => {
  it.each<[string, Partial<SourceResource>, ResourceProjection | undefined, readonly string[]]>([
    ['all, in their order', {}, undefined, ['v1beta1 (not served)', 'v1', 'v2alpha1', 'v2 (stored)', 'v3']],
    ['all, for an empty list', { versions: [] }, {}, ['v1beta1 (not served)', 'v1', 'v2alpha1', 'v2 (stored)', 'v3']],
    ['one, by the deprecated field', { version: 'v3' }, undefined, ['v3 (stored)']],
    ['one', { versions: ['v3'] }, undefined, ['v3 (stored)']],
    [
      'two, in the order of the CRD; the last served one is stored',
      { versions: ['v3', 'v1'] },
      undefined,
      ['v1', 'v3 (stored)'],
    ],
    ['two with the stored one', { versions: ['v2', 'v1'] }, undefined, ['v1', 'v2 (stored)']],
    ['one that is there, one that is not', { versions: ['v9', 'v1'] }, undefined, ['v1 (stored)']],
    [
      'one that is not served stays so',
      { versions: ['v1beta1', 'v1'] },
      undefined,
      ['v1beta1 (not served)', 'v1 (stored)'],
    ],
    ['renamed, by the deprecated field', { version: 'v3' }, { version: 'v6' }, ['v6 (stored)']],
    ['which goes before the other', { version: 'v3' }, { version: 'v6', versions: { v3: 'v7' } }, ['v6 (stored)']],
    ['renamed', { versions: ['v3'] }, { versions: { v3: 'v6' } }, ['v6 (stored)']],
    [
      'renamed and put in order',
      { versions: ['v3', 'v1'] },
      { versions: { v3: 'v6', v1: 'v7' } },
      ['v6 (stored)', 'v7'],
    ],
    [
      'put in order by any name that is given',
      {},
      { versions: { v9: 'v1' } },
      ['v2alpha1', 'v1beta1 (not served)', 'v1', 'v2 (stored)', 'v3'],
    ],
    ['kept under an empty name', { versions: ['v1'] }, { versions: { v1: '' } }, ['v1 (stored)']],
    ['called as others are', { versions: ['v1', 'v2'] }, { versions: { v1: 'v2', v2: 'v1' } }, ['v1 (stored)', 'v2']],
  ])('%s', (_, resource, projection, expected) => {
    expect(versionsOf(project(several, published(resource, projection)))).toEqual(expected);
  });

  it.each<[string, Partial<SourceResource>, ResourceProjection | undefined, ProjectionProblemCode, string]>([
    ['version and versions', { version: 'v1', versions: ['v1'] }, undefined, 'Versions', 'spec.resource'],
    ['a version that is not there', { version: 'v4' }, undefined, 'Versions', 'spec.resource.versions'],
    ['versions that are not there', { versions: ['v4'] }, undefined, 'Versions', 'spec.resource.versions'],
    ['none that is served', { versions: ['v1beta1'] }, undefined, 'Versions', 'spec.resource.versions'],
    ['one name for several', {}, { version: 'v1' }, 'Renamed', 'spec.projection.version'],
    [
      'two of one name',
      { versions: ['v3', 'v1'] },
      { versions: { v3: 'v6', v1: 'v6' } },
      'Renamed',
      'spec.projection.versions',
    ],
    [
      'a name that another has',
      { versions: ['v3', 'v1'] },
      { versions: { v3: 'v1' } },
      'Renamed',
      'spec.projection.versions',
    ],
  ])('%s are refused', (_, resource, projection, code, path) => {
    const act = (): unknown => project(several, published(resource, projection));
    expect(act).toThrow(ProjectionError);
    expect(act).toThrow(expect.objectContaining({ code, problems: [expect.objectContaining({ code, path })] }));
  });

  it('nothing of the CRD is changed', () => {
    const before = structuredClone(several);
    project(several, published({ versions: ['v3'] }, { versions: { v3: 'v6' }, kind: 'X' }));
    expect(several).toEqual(before);
  });
});

describe('names, group and scope', () => {
  it.each<[string, ResourceProjection | undefined, Partial<CustomResourceDefinition['spec']>, string]>([
    ['stay', undefined, {}, 'things.example.com'],
    ['stay with an empty projection', { group: '', kind: '', plural: '', scope: undefined }, {}, 'things.example.com'],
    ['another group', { group: 'new.example.com' }, { group: 'new.example.com' }, 'things.new.example.com'],
    [
      'another kind',
      { kind: 'NewThing' },
      {
        names: {
          ...single.spec.names,
          kind: 'NewThing',
          listKind: 'NewThingList',
          singular: 'newthing',
          plural: 'newthings',
        },
      },
      'newthings.example.com',
    ],
    [
      'another kind and plural',
      { kind: 'Foot', plural: 'feet' },
      { names: { ...single.spec.names, kind: 'Foot', listKind: 'FootList', singular: 'foot', plural: 'feet' } },
      'feet.example.com',
    ],
    [
      'scope, short names and categories',
      { scope: 'Namespaced', shortNames: ['shorty'], categories: ['e2e'] },
      { scope: 'Namespaced', names: { ...single.spec.names, shortNames: ['shorty'], categories: ['e2e'] } },
      'things.example.com',
    ],
    [
      'none of them',
      { shortNames: [], categories: [] },
      { names: { ...single.spec.names, shortNames: [], categories: [] } },
      'things.example.com',
    ],
    ['null keeps them', { shortNames: null, categories: null }, {}, 'things.example.com'],
    [
      'group and plural',
      { group: 'new.example.com', plural: 'feet' },
      { group: 'new.example.com', names: { ...single.spec.names, plural: 'feet' } },
      'feet.new.example.com',
    ],
  ])('%s', (_, projection, changes, name) => {
    const projected = project(single, published({}, projection));
    expect(projected.metadata).toEqual({ name, generation: 4 });
    expect(projected.spec).toEqual({ ...single.spec, conversion: { strategy: 'None' }, ...changes });
  });

  it('where an API was approved is kept, as the one annotation', () => {
    const annotations = { 'api-approved.kubernetes.io': 'https://example.com/1', other: 'x' };
    expect(
      project({ ...single, metadata: { ...single.metadata, annotations } }, published({})).metadata.annotations,
    ).toEqual({ 'api-approved.kubernetes.io': 'https://example.com/1' });
  });
});

describe('syncedResources', () => {
  it('are the stored version on either side', () => {
    expect(
      syncedResources(
        several,
        published({}, { group: 'kcp.example.com', kind: 'NewThing', scope: 'Namespaced', versions: { v2: 'v5' } }),
      ),
    ).toEqual({
      service: {
        group: 'example.com',
        version: 'v2',
        resource: 'things',
        kind: 'Thing',
        namespaced: false,
        subresources: ['status'],
      },
      kcp: {
        group: 'kcp.example.com',
        version: 'v5',
        resource: 'newthings',
        kind: 'NewThing',
        namespaced: true,
        subresources: ['status'],
      },
    });
  });

  it('are the version that is published, even if the service cluster stores another', () => {
    const { service, kcp } = syncedResources(several, published({ versions: ['v1'] }));
    expect([service.version, kcp.version]).toEqual(['v1', 'v1']);
    expect(syncedResources(several, published({ versions: ['v3'] }, { versions: { v3: 'v1' } }))).toMatchObject({
      service: { version: 'v3', subresources: [] },
      kcp: { version: 'v1' },
    });
  });

  it('are one that is served, where the stored one is not', () => {
    const crd = crdWith([version('v1'), version('v2'), version('v3', { served: false, storage: true })]);
    expect(syncedResources(crd, published({}))).toMatchObject({ service: { version: 'v2' }, kcp: { version: 'v2' } });
  });

  it('follow a version that took the name of another', () => {
    const { service, kcp } = syncedResources(
      several,
      published({ versions: ['v1', 'v2'] }, { versions: { v1: 'v2', v2: 'v1' } }),
    );
    expect([service.version, kcp.version]).toEqual(['v2', 'v1']);
  });
});
