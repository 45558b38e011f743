import type {
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportTemplate,
  InlineCRDSpec,
} from '@hawser/klutch';
import { exportHash, inlineSpecFromCRD } from '@hawser/klutch';
import { describe, expect, it } from '@jest/globals';
import { crd } from '../testing/objects.js';
import {
  decideInlineRequest,
  type InlineRequestSettings,
  namesOf,
  type ObservedResource,
  withInlineAnswer,
} from './decide-inline-request.js';
import type { InlineSource } from './inline-source.js';

const now = Date.UTC(2026, 10, 21, 15, 24, 8);
const settings: InlineRequestSettings = { informerScope: 'Cluster', isolation: 'Prefixed' };
const apiVersion = 'klutch.anynines.com/v1alpha1';
const name = 'databases.example.com';

function offered(
  spec: InlineCRDSpec = inlineSpecFromCRD(crd('databases')),
): Extract<InlineSource, { kind: 'offered' }> {
  return { kind: 'offered', spec, hash: exportHash(spec) };
}

const template: APIServiceExportTemplate = {
  apiVersion,
  kind: 'APIServiceExportTemplate',
  metadata: { name: 'databases' },
  spec: { APIServiceSelector: { group: 'example.com', resource: 'databases' } },
};
const request: APIServiceExportRequest = {
  apiVersion,
  kind: 'APIServiceExportRequest',
  metadata: { name: 'r', namespace: 'cluster-a', uid: 'u' },
  spec: { resources: [{ group: 'example.com', resource: 'databases' }] },
};
const exportOf = (spec: InlineCRDSpec, annotations: Record<string, string> = {}): APIServiceExport => ({
  apiVersion,
  kind: 'APIServiceExport',
  metadata: { name, namespace: 'cluster-a', annotations },
  spec: { ...spec, informerScope: 'Cluster' },
});

describe("a request of another shape than Klutch's", () => {
  it.each<[unknown, string]>([
    [undefined, 'spec is required'],
    [{ resources: 'x' }, 'spec.resources must be of type array, is string'],
    [{ resources: [null] }, 'spec.resources[0] must be of type object, is null'],
  ])('%j is told, and changes nothing', (spec, words) => {
    const malformed = {
      apiVersion: 'klutch.anynines.com/v1alpha1',
      kind: 'APIServiceExportRequest',
      metadata: { name: 'one', namespace: 'cluster-a' },
      spec,
    } as never;
    expect(namesOf(malformed)).toEqual([]);
    expect(
      decideInlineRequest(
        { informerScope: 'Namespaced', isolation: 'Prefixed' },
        { request: malformed, resources: new Map() },
      ),
    ).toMatchObject({
      create: [],
      answered: false,
      problem: { reason: 'MalformedRequest', message: expect.stringContaining(words) },
    });
  });
});

describe('decideInlineRequest', () => {
  const decide = (resource: Partial<ObservedResource>, stamp = settings) =>
    decideInlineRequest(stamp, {
      request,
      resources: new Map([[name, { source: offered(), template, forbidden: [], export: undefined, ...resource }]]),
    });

  it('makes an export that is named as the CRD and has its hash', () => {
    const { create, answered, problem } = decide({});
    expect({ answered, problem }).toEqual({ answered: false, problem: undefined });
    expect(create).toEqual([
      {
        ...exportOf(offered().spec, {
          'klutch.anynines.com/source-spec-hash': offered().hash,
          'hawser.dev/request': 'u',
        }),
      },
    ]);
  });

  it('takes over what the template says of policies, and nothing else of it', () => {
    const said = {
      'hawser.dev/schema-update': 'Never',
      'hawser.dev/schema-rollout': '50%',
      'hawser.dev/withdrawn-objects': 'Delete',
    };
    const { create } = decide({
      template: { ...template, metadata: { ...template.metadata, annotations: { ...said, 'hawser.dev/other': 'x' } } },
    });
    expect(create[0]?.metadata.annotations).toEqual({
      'klutch.anynines.com/source-spec-hash': offered().hash,
      'hawser.dev/request': 'u',
      ...said,
    });
  });

  it('is done when the export is there, whatever it says', () => {
    expect(decide({ export: exportOf(offered().spec), source: undefined, template: undefined })).toEqual({
      create: [],
      problem: undefined,
      answered: true,
    });
    expect(withInlineAnswer(undefined, undefined, now)).toMatchObject({
      phase: 'Succeeded',
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'ExportsReady', status: 'True' },
      ],
    });
  });

  it('waits for an approval, and says how that is given', () => {
    const unapproved = { template: 'klutch/databases', approved: new Set(['klutch/caches']), namespace: 'consumer-1' };
    expect(decide({ template: undefined, unapproved }).problem).toEqual({
      reason: 'ApprovalRequired',
      message:
        'Template klutch/databases is given to a consumer only once the provider approves that. The provider approves it by: kubectl annotate clusterbinding.klutch.anynines.com -n consumer-1 cluster --overwrite hawser.dev/approved-templates=klutch/caches,klutch/databases',
    });
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
  ] as readonly [string, Partial<ObservedResource>, InlineRequestSettings][])(
    'waits and says %s',
    (reason, resource, stamp) => {
      const { create, answered, problem } = decide(resource, stamp);
      expect({ create, answered, reason: problem?.reason }).toEqual({ create: [], answered: false, reason });
      expect(withInlineAnswer(undefined, problem, now)).toMatchObject({
        phase: 'Pending',
        conditions: [
          { type: 'Ready', status: 'False' },
          { type: 'ExportsReady', status: 'False', reason, message: expect.stringContaining(name) as unknown },
        ],
      });
    },
  );
});
