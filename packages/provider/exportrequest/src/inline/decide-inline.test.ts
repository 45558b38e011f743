import type {
  APIServiceExport,
  APIServiceExportRequest,
  APIServiceExportTemplate,
  InlineCRDSpec,
} from '@hawser/klutch';
import { exportHash, inlineSpecFromCRD } from '@hawser/klutch';
import { describe, expect, it } from '@jest/globals';
import { crd } from '../testing/objects.js';
import { decideInlineExport, type InlineExportRound } from './decide-inline-export.js';
import {
  decideInlineRequest,
  type InlineRequestSettings,
  namesOf,
  type ObservedResource,
  withInlineAnswer,
} from './decide-inline-request.js';
import { decideInlineRound, type InlineRound } from './decide-inline-round.js';
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
    const policies = {
      'hawser.dev/schema-update': 'Never',
      'hawser.dev/schema-rollout': '50%',
      'hawser.dev/withdrawn-objects': 'Delete',
    };
    const { create } = decide({
      template: {
        ...template,
        metadata: { ...template.metadata, annotations: { ...policies, 'hawser.dev/other': 'x' } },
      },
    });
    expect(create[0]?.metadata.annotations).toEqual({
      'klutch.anynines.com/source-spec-hash': offered().hash,
      'hawser.dev/request': 'u',
      ...policies,
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

describe('decideInlineRound', () => {
  const decide = (round: Partial<InlineRound>, resource: Partial<ObservedResource> = {}) =>
    decideInlineRound(settings, {
      request,
      resources: new Map([[name, { source: offered(), template, forbidden: [], export: undefined, ...resource }]]),
      waitMs: 0,
      reviewInMs: 50_000,
      now,
      ...round,
    });
  const answer = (problem: unknown) => [{ type: 'answer', request, problem }];

  it('makes the export, answers once it is there, and is done then', () => {
    expect(decide({}).actions).toMatchObject([{ type: 'createExport', export: { metadata: { name } } }]);
    const there = { export: exportOf(offered().spec) };
    expect(decide({}, there)).toEqual({ actions: answer(undefined) });
    const status = withInlineAnswer(undefined, undefined, now);
    expect(decide({ request: { ...request, status } }, there)).toEqual({ actions: [] });
  });

  it('does nothing for a request that is gone or answered, and lets one wait that comes too often', () => {
    expect(decide({ request: undefined })).toEqual({ actions: [] });
    expect(decide({ waitMs: 300, resources: new Map() })).toEqual({ actions: [], requeueAfterMs: 300 });
  });

  it('says what is in the way once, and asks again only for rights, of which nothing tells', () => {
    for (const [resource, waiting] of [
      [{ template: undefined }, { waits: true }],
      [{ template: undefined, forbidden: ['catalogue/databases'] }, { requeueAfterMs: 50_000 }],
    ] as const) {
      const { problem } = decideInlineRequest(settings, {
        request,
        resources: new Map([[name, { source: offered(), export: undefined, forbidden: [], ...resource }]]),
      });
      expect(decide({}, resource)).toEqual({ actions: answer(problem) });
      const status = withInlineAnswer(undefined, problem, now);
      expect(decide({ request: { ...request, status } }, resource)).toEqual({ actions: [], ...waiting });
    }
  });
});

describe('decideInlineExport', () => {
  const bound = exportOf(offered().spec);
  const withdrawn = exportOf(offered().spec, { 'hawser.dev/withdrawn': 'Unbound' });
  const marked = (one: APIServiceExport): APIServiceExport => ({
    ...one,
    status: { conditions: [{ type: 'ProviderInSync', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  });
  const decide = (one: APIServiceExport | undefined, round: Partial<InlineExportRound> = {}) =>
    decideInlineExport({ export: one, offer: undefined, restoreInMs: 0, reviewInMs: 50_000, now, ...round });

  it('marks an export as in step with its CRD, which it carries, and is done then', () => {
    expect(decide(undefined)).toEqual({ actions: [] });
    expect(decide(bound)).toEqual({ actions: [{ type: 'markInSync', export: bound }] });
    expect(decide(marked(bound))).toEqual({ actions: [], lasts: false });
  });

  it('withdraws what its consumer has unbound', () => {
    const unbound: APIServiceExport = {
      ...bound,
      status: {
        conditions: [{ type: 'Unbound', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    };
    expect(decide(unbound).actions).toMatchObject([
      { type: 'annotate', change: { annotations: { 'hawser.dev/withdrawn': 'Unbound' } } },
    ]);
  });

  it('gives back what is offered, no faster than allowed, and says why it does not', () => {
    const offer = { template, forbidden: [] };
    expect(decide(marked(withdrawn), { offer }).actions).toMatchObject([
      { type: 'annotate', change: { annotations: { 'hawser.dev/withdrawn': null }, turn: { kind: 'restored' } } },
    ]);
    expect(decide(marked(withdrawn), { offer, restoreInMs: 9 })).toMatchObject({
      actions: [],
      event: { reason: 'RestorePaced' },
      requeueAfterMs: 9,
    });
    const refusal = { actions: [], event: { reason: 'RestoreRefused' } };
    const notOffered = decide(marked(withdrawn), { offer: { template: undefined, forbidden: [] } });
    expect(notOffered).toMatchObject(refusal);
    expect(notOffered.requeueAfterMs).toBeUndefined();
    expect(
      decide(marked(withdrawn), { offer: { template: undefined, forbidden: ['catalogue/databases'] } }),
    ).toMatchObject({ ...refusal, requeueAfterMs: 50_000 });
  });
});
