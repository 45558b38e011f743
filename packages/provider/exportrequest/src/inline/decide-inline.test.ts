import type { APIServiceExport, APIServiceExportRequest, APIServiceExportTemplate, InlineCRDSpec } from '@hawser/klutch';
import { exportHash, inlineSpecFromCRD } from '@hawser/klutch';
import { schemaHash } from '@hawser/schemagate';
import { describe, expect, it } from '@jest/globals';
import { crd } from '../testing/objects.js';
import { decideInlineExport, withInlineVerdict } from './decide-inline-export.js';
import { decideInlineRequest, type InlineRequestSettings, type ObservedResource, withInlineAnswer } from './decide-inline-request.js';
import type { InlineSource } from './inline-source.js';

const now = Date.UTC(2026, 10, 21, 15, 24, 8);
const settings: InlineRequestSettings = { informerScope: 'Cluster', isolation: 'Prefixed' };
const apiVersion = 'klutch.anynines.com/v1alpha1';
const name = 'databases.example.com';

function offered(spec: InlineCRDSpec = inlineSpecFromCRD(crd('databases'))): Extract<InlineSource, { kind: 'offered' }> {
  return { kind: 'offered', spec, hash: exportHash(spec) };
}

const template: APIServiceExportTemplate = { apiVersion, kind: 'APIServiceExportTemplate', metadata: { name: 'databases' }, spec: { APIServiceSelector: { group: 'example.com', resource: 'databases' } } };
const request: APIServiceExportRequest = { apiVersion, kind: 'APIServiceExportRequest', metadata: { name: 'r', namespace: 'cluster-a', uid: 'u' }, spec: { resources: [{ group: 'example.com', resource: 'databases' }] } };
const exportOf = (spec: InlineCRDSpec, annotations: Record<string, string> = {}): APIServiceExport => ({ apiVersion, kind: 'APIServiceExport', metadata: { name, namespace: 'cluster-a', annotations }, spec: { ...spec, informerScope: 'Cluster' } });

describe('decideInlineRequest', () => {
  const decide = (resource: Partial<ObservedResource>, stamp = settings) => decideInlineRequest(stamp, { request, resources: new Map([[name, { source: offered(), template, forbidden: [], export: undefined, ...resource }]]) });

  it('makes an export that is named as the CRD and has its hash', () => {
    const { create, answered, problem } = decide({});
    expect({ answered, problem }).toEqual({ answered: false, problem: undefined });
    expect(create).toEqual([{ ...exportOf(offered().spec, { 'klutch.anynines.com/source-spec-hash': offered().hash, 'hawser.dev/request': 'u' }) }]);
  });

  it('is done when the export is there, whatever it says', () => {
    expect(decide({ export: exportOf(offered().spec), source: undefined, template: undefined })).toEqual({ create: [], problem: undefined, answered: true });
    expect(withInlineAnswer(undefined, undefined, now)).toMatchObject({ phase: 'Succeeded', conditions: [{ type: 'Ready', status: 'True' }, { type: 'ExportsReady', status: 'True' }] });
  });

  const going = { ...exportOf(offered().spec), metadata: { name, deletionTimestamp: '2026-11-21T15:24:08Z' } };
  const clusterScoped = offered(inlineSpecFromCRD(crd('databases', 'Cluster')));
  it.each([
    ['NotOffered', { template: undefined }, settings],
    ['BindForbidden', { template: undefined, forbidden: ['databases'] }, settings],
    ['CRDNotFound', { source: undefined }, settings],
    ['CRDInvalid', { source: { kind: 'unusable', message: 'no' } }, settings],
    ['ExportTerminating', { export: going }, settings],
    ['NoPlaceForCopies', { source: clusterScoped }, { ...settings, informerScope: 'Namespaced' }],
  ] as readonly [string, Partial<ObservedResource>, InlineRequestSettings][])('waits and says %s', (reason, resource, stamp) => {
    const { create, answered, problem } = decide(resource, stamp);
    expect({ create, answered, reason: problem?.reason }).toEqual({ create: [], answered: false, reason });
    expect(withInlineAnswer(undefined, problem, now)).toMatchObject({ phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }, { type: 'ExportsReady', status: 'False', reason, message: expect.stringContaining(name) as unknown }] });
  });
});

describe('decideInlineExport', () => {
  const before = offered().spec;
  const typed = (type: string): InlineCRDSpec => ({ ...before, versions: before.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { engine: { type } } } } })) });

  it('is in step by what it carries, whatever its annotation says', () => {
    expect(decideInlineExport(exportOf(before, { 'klutch.anynines.com/source-spec-hash': 'another' }), offered(), 'Safe')).toEqual({ kind: 'inStep' });
    const edited = exportOf(typed('string'), { 'klutch.anynines.com/source-spec-hash': offered().hash });
    expect(decideInlineExport(edited, offered(), 'Always')).toMatchObject({ kind: 'replace', hash: offered().hash });
  });

  const changed = offered(typed('integer'));
  it.each([
    ['Safe', {}, 'held'], ['Always', {}, 'replace'], ['Safe', { 'hawser.dev/schema-update': 'Always' }, 'replace'], ['Always', { 'hawser.dev/schema-update': 'Never' }, 'held'],
    ['Safe', { 'hawser.dev/schema-approved': schemaHash(changed.spec) }, 'replace'], ['Safe', { 'hawser.dev/schema-approved': 'another' }, 'held'],
  ] as const)('goes by the policy of the provider (%s), of the export, and what is approved: %p → %s', (policy, annotations, kind) => {
    expect(decideInlineExport(exportOf(typed('string'), annotations), changed, policy).kind).toBe(kind);
  });

  it('never becomes another API, approved or not', () => {
    const other = offered({ ...before, scope: 'Cluster' });
    expect(decideInlineExport(exportOf(before, { 'hawser.dev/schema-approved': schemaHash(other.spec), 'hawser.dev/schema-update': 'Always' }), other, 'Always')).toMatchObject({ kind: 'held', reason: 'IncompatibleSchemaChange' });
  });

  it('stays when its CRD is gone or cannot be offered any more', () => {
    expect(decideInlineExport(exportOf(before), undefined, 'Always')).toMatchObject({ kind: 'held', reason: 'SchemaSourceGone' });
    expect(decideInlineExport(exportOf(before), { kind: 'unusable', message: 'no' }, 'Always')).toMatchObject({ kind: 'held', reason: 'SchemaUnusable' });
  });

  it('says what is held, leaves what the konnector says alone, and takes it back', () => {
    const connected = { type: 'Connected', status: 'True', lastTransitionTime: '2026-11-21T15:00:00Z' } as const;
    const held = withInlineVerdict({ conditions: [connected] }, { kind: 'held', reason: 'SchemaSourceGone', message: 'gone' }, now);
    expect(held.conditions).toMatchObject([connected, { type: 'ProviderInSync', status: 'True' }, { type: 'SchemaUpdateHeld', status: 'True', reason: 'SchemaSourceGone' }]);
    expect(withInlineVerdict(held, { kind: 'inStep' }, now).conditions).toMatchObject([connected, { type: 'ProviderInSync' }]);
  });
});
