import type { APIServiceExportTemplate, Collection, Conditions } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { sourceSchema } from '../source-schema.js';
import { crd, template } from '../testing/objects.js';
import type { AdmissionMode } from './admission.js';
import { decideCollection, decideTemplate } from './decide-template.js';

const now = Date.UTC(2026, 10, 21, 15, 24, 8);
const secrets = { group: '', resource: 'secrets', selector: { labelSelector: {} } };
const resource = (
  plural: string,
  ...versions: readonly string[]
): APIServiceExportTemplate['spec']['resources'][number] => ({
  group: 'example.com',
  resource: plural,
  versions: [...versions],
});

interface World {
  readonly crds?: Parameters<typeof crd>[];
  readonly others?: Record<string, readonly string[]>;
  readonly admission?: AdmissionMode;
}

function decide(
  one: APIServiceExportTemplate,
  { crds = [['databases']], others = {}, admission = 'Template' }: World = {},
): Conditions | undefined {
  const sources = new Map(
    crds
      .map((args) => crd(...args))
      .map((found) => [found.metadata.name, sourceSchema(found, { informerScope: 'Cluster', isolation: 'Prefixed' })]),
  );
  return decideTemplate({ template: one, sources, others: new Map(Object.entries(others)), admission }, now);
}

const withStatus = (one: APIServiceExportTemplate, conditions: Conditions | undefined): APIServiceExportTemplate => ({
  ...one,
  status: { conditions: [...(conditions ?? [])] },
});

describe('decideTemplate', () => {
  it('has nothing to say about a template that is right', () => {
    expect(decide(template('small'))).toBeUndefined();
    expect(decide(template('small', { permissionClaims: [secrets] }))).toBeUndefined();
    expect(decide(template('small', { resources: [resource('databases')] }))).toBeUndefined();
  });

  const wrong: readonly [string, APIServiceExportTemplate, World, object][] = [
    [
      'a CRD that is not there',
      template('small'),
      { crds: [] },
      {
        type: 'Offerable',
        reason: 'SchemaNotFound',
        severity: 'Error',
        message: expect.stringContaining('databases.example.com'),
      },
    ],
    [
      'a version that is not served',
      template('small', { resources: [resource('databases', 'v9')] }),
      {},
      { type: 'Offerable', reason: 'SchemaNotFound', message: expect.stringContaining('v9') },
    ],
    [
      'a CRD that no BoundSchema can say',
      template('small'),
      { crds: [['databases', 'Namespaced', ['alpha']]] },
      { type: 'Offerable', reason: 'BoundSchemaNotFound' },
    ],
    [
      'an approval that nothing asks for',
      { ...template('small'), metadata: { name: 'small', annotations: { 'hawser.dev/approval': 'required' } } },
      { admission: 'Exported' },
      { type: 'Offerable', reason: 'ApprovalNotAsked', severity: 'Warning' },
    ],
    [
      'scopes that differ',
      template('small', { resources: [resource('databases'), resource('zones')] }),
      { crds: [['databases'], ['zones', 'Cluster']] },
      { type: 'Offerable', reason: 'DifferentScopes' },
    ],
    [
      'a scope that it does not have',
      template('small', { scope: 'Cluster' }),
      {},
      { type: 'Offerable', reason: 'ScopeDiffers', severity: 'Warning' },
    ],
    [
      'a claim that nobody can make',
      template('small', { permissionClaims: [{ ...secrets, resource: 'pods' }] }),
      {},
      { type: 'PermissionClaim', reason: 'InvalidPermissionClaim', message: expect.stringContaining('pods') },
    ],
    [
      'a claim made twice',
      template('small', { permissionClaims: [secrets, secrets] }),
      {},
      { type: 'PermissionClaim', reason: 'DuplicatePermissionClaim' },
    ],
  ];
  it.each(wrong)('tells of %s, once', (_what, one, world, expected) => {
    const conditions = decide(one, world);
    expect(conditions).toContainEqual(expect.objectContaining({ status: 'False', ...expected }));
    expect(conditions?.[0]).toMatchObject({ type: 'Ready', status: 'False' });
    expect(decide(withStatus(one, conditions), world)).toBeUndefined();
  });

  it('says that all is well again, and keeps saying so', () => {
    const reported = withStatus(template('small'), decide(template('small'), { crds: [] }));
    const conditions = decide(reported);
    expect(conditions?.map(({ type, status }) => [type, status])).toEqual([
      ['Ready', 'True'],
      ['Offerable', 'True'],
      ['PermissionClaim', 'True'],
      ['Unique', 'True'],
    ]);
    expect(decide(withStatus(reported, conditions))).toBeUndefined();
  });

  it('names the other templates of a resource, and stays ready', () => {
    const conditions = decide(template('small'), { others: { 'databases.example.com': ['big'] } });
    expect(conditions).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'Offerable', status: 'True' },
      { type: 'PermissionClaim', status: 'True' },
      {
        type: 'Unique',
        status: 'False',
        reason: 'OfferedTwice',
        message: expect.stringContaining('databases.example.com (big)') as unknown,
      },
    ]);
  });
});

describe('decideCollection', () => {
  const collection: Collection = {
    apiVersion: 'kube-bind.io/v1alpha2',
    kind: 'Collection',
    metadata: { name: 'c' },
    spec: { templates: [{ name: 'small' }, { name: 'big' }] },
  };

  it('tells which templates are missing, once, and when they are there', () => {
    expect(decideCollection(collection, () => true, now)).toBeUndefined();
    const missing = decideCollection(collection, (name) => name === 'small', now);
    expect(missing).toMatchObject([
      { type: 'Ready', status: 'False' },
      {
        type: 'TemplatesFound',
        status: 'False',
        reason: 'TemplateNotFound',
        message: expect.stringContaining('APIServiceExportTemplate big.') as unknown,
      },
    ]);
    const reported = { ...collection, status: { conditions: [...missing!] } };
    expect(decideCollection(reported, (name) => name === 'small', now)).toBeUndefined();
    expect(decideCollection(reported, () => true, now)).toMatchObject([
      { type: 'Ready', status: 'True' },
      { type: 'TemplatesFound', status: 'True' },
    ]);
  });
});
