import {
  type APIServiceBinding,
  type APIServiceExport,
  type PermissionClaim,
  claimId,
  consentText,
} from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { roughEdge } from '@hawser/testenv';
import { type Consent, consentCondition, consentTo } from './claim-consent.js';

const labelled: PermissionClaim = {
  group: '',
  resource: 'secrets',
  selector: { labelSelector: { matchLabels: { app: 'db' } } },
};
const named: PermissionClaim = {
  resource: 'configmaps',
  selector: {
    namedResources: [{ name: 'ca' }],
    references: [{ group: 'example.com', resource: 'tests', jsonPath: { name: 'spec.ca' } }],
  },
};
const all: PermissionClaim = { resource: 'secrets', selector: { labelSelector: {} } };

const UID = 'b-uid';
const NOW = Date.parse('2026-01-02T00:00:00Z');
const exporting = (claims: readonly PermissionClaim[], generation = 3): APIServiceExport => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceExport',
  metadata: { name: 'b', uid: 'e-uid', generation },
  spec: { resources: [], informerScope: 'Namespaced', isolation: 'Prefixed', permissionClaims: claims },
});
interface Made {
  readonly accepted?: string;
  readonly recorded?: string;
  readonly ageMs?: number;
  readonly bundled?: boolean;
}
const binding = (
  status: APIServiceBinding['status'],
  { accepted, recorded, ageMs = 60_000, bundled = false }: Made = {},
): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: {
    name: 'b',
    uid: UID,
    generation: 1,
    creationTimestamp: new Date(NOW - ageMs).toISOString(),
    annotations: {
      ...(accepted === undefined ? {} : { 'hawser.dev/accepted-claims': accepted }),
      ...(recorded === undefined ? {} : { 'hawser.dev/claim-consent': recorded }),
    },
    ...(bundled
      ? {
          ownerReferences: [
            { apiVersion: 'kube-bind.io/v1alpha2', kind: 'APIServiceBindingBundle', name: 'all', uid: 'u' },
          ],
        }
      : {}),
  },
  status,
});
const bound = (claims?: readonly PermissionClaim[]): APIServiceBinding['status'] => ({
  boundSchemas: [{ group: 'example.com', resource: 'tests' }],
  ...(claims === undefined ? {} : { permissionClaims: claims }),
});
const consent = (one: APIServiceBinding, claims: readonly PermissionClaim[]): Pick<Consent, 'accepted' | 'held'> => {
  const { accepted, held } = consentTo(one, exporting(claims), NOW);
  return { accepted, held };
};
/** The binding as it is once what was agreed to is written down, whatever becomes of its status. */
const recordedBy = (
  one: APIServiceBinding,
  claims: readonly PermissionClaim[],
  status: APIServiceBinding['status'],
  made: Made = {},
): APIServiceBinding => {
  const { record } = consentTo(one, exporting(claims), NOW);
  return binding(status, { ...made, ...(record === undefined ? {} : { recorded: consentText(UID, record) }) });
};

describe('consent to claims', () => {
  it('is given once, by making a binding, to what the export claims then', () => {
    expect(consent(binding(undefined), [labelled, named])).toEqual({ accepted: [labelled, named], held: [] });
    // The export came later than the binding.
    expect(
      consent(
        binding({
          conditions: [
            {
              type: 'Connected',
              status: 'False',
              reason: 'APIServiceExportNotFound',
              lastTransitionTime: '2026-01-01T00:00:00Z',
            },
          ],
        }),
        [labelled],
      ).accepted,
    ).toEqual([labelled]);
  });
  it('is written down with who, when, what, and for which generations', () => {
    const { record } = consentTo(binding(undefined), exporting([labelled]), NOW);
    expect([...(record ?? [])]).toEqual([
      [
        claimId(labelled),
        {
          by: 'binding',
          writers: [],
          at: '2026-01-02T00:00:00Z',
          bindingGeneration: 1,
          exportGeneration: 3,
          exportUID: 'e-uid',
        },
      ],
    ]);
    expect(
      consentTo(recordedBy(binding(undefined), [labelled], bound([labelled])), exporting([labelled]), NOW).record,
    ).toBeUndefined();
  });
  it('is not given a second time because the provider empties the list of bound schemas', () => {
    // Bound without claims; the export is made anew with a resource that has no schema, then with a claim on all Secrets.
    const one = recordedBy(binding(undefined), [], { conditions: [] });
    expect(consent(one, [all])).toEqual({ accepted: [], held: [all] });
    // Also where the record could not be written down.
    const unwritten = binding({
      conditions: [
        {
          type: 'SchemaInSync',
          status: 'False',
          reason: 'BoundSchemaFetchFailed',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    expect(consentTo(unwritten, exporting([all]), NOW)).toEqual({ accepted: [], held: [all], record: undefined });
  });
  it.each<[string, Made]>([
    ['made by a bundle', { bundled: true }],
    ['older than what its export claims by an hour', { ageMs: 3_600_001 }],
    ['that names what it accepts', { accepted: claimId(named) }],
    ['that names nothing', { accepted: '' }],
  ])('is not given by a binding %s', (_, made) => {
    expect(consent(binding(undefined, made), [labelled])).toEqual({ accepted: [], held: [labelled] });
  });
  it('is given by a bundle for its bindings', () => {
    expect(consent(binding(undefined, { bundled: true, accepted: '*' }), [labelled]).accepted).toEqual([labelled]);
  });
  roughEdge('R38', 'consent is not given to claims that come later', () => {
    expect(consent(binding(bound()), [labelled])).toEqual({ accepted: [], held: [labelled] });
    expect(consent(binding(bound([labelled])), [labelled, named])).toEqual({ accepted: [labelled], held: [named] });
  });
  it('was given to what a Go konnector, or an earlier version, has served; without a write', () => {
    expect(consentTo(binding(bound([labelled])), exporting([labelled]), NOW)).toEqual({
      accepted: [labelled],
      held: [],
      record: undefined,
    });
  });
  it('is not widened by what a Go konnector writes into the status afterwards', () => {
    expect(consent(recordedBy(binding(undefined), [labelled], bound([labelled, all])), [labelled, all])).toEqual({
      accepted: [labelled],
      held: [all],
    });
  });
  it('is not given by a record that was cloned with the binding, or that cannot be read', () => {
    const { record = new Map() } = consentTo(binding(undefined), exporting([labelled]), NOW);
    for (const recorded of [
      consentText('another', record),
      '{',
      '[]',
      '{"binding":"b-uid","claims":[]}',
      '{}',
      '"x"',
      `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
    ])
      expect(consent(binding(undefined, { recorded }), [labelled])).toEqual({ accepted: [], held: [labelled] });
  });
  it('is not given to a claim that is changed', () => {
    expect(consent(binding(bound([labelled])), [all])).toEqual({ accepted: [], held: [all] });
  });
  it('does not depend on how a claim is spelled', () => {
    expect(consent(binding(bound([{ ...named, group: '' }])), [named]).held).toEqual([]);
  });
  it.each([`x, ${claimId(named)}`, '*', `${claimId(named)}\nelse`])('is given by annotation: %j', (accepted) => {
    expect(consent(binding(bound(), { accepted }), [named])).toEqual({ accepted: [named], held: [] });
    // And stays when the annotation goes.
    expect(consent(recordedBy(binding(bound(), { accepted }), [named], bound()), [named])).toEqual({
      accepted: [named],
      held: [],
    });
  });
  it('that was given before there were records is written down with the first that comes', () => {
    const { record } = consentTo(
      binding(bound([labelled]), { accepted: claimId(named) }),
      exporting([labelled, named]),
      NOW,
    );
    expect([...(record ?? [])].map(([id, { by }]) => [id, by])).toEqual([
      [claimId(labelled), 'status'],
      [claimId(named), 'annotation'],
    ]);
  });
  it('is given by annotation to what it names alone', () => {
    expect(consent(binding(bound(), { accepted: claimId(named) }), [named, all])).toEqual({
      accepted: [named],
      held: [all],
    });
  });
  it('counts for what the export has', () => {
    expect(consent(binding(bound([labelled, named])), [named]).accepted).toEqual([named]);
  });
  it('is for a claim that no other can stand for', () => {
    expect(claimId(all)).toMatch(/^[0-9a-f]{32}$/u);
  });
});

describe('the condition', () => {
  it('says what is claimed and how to accept it', () => {
    expect(consentCondition(binding(bound()), [labelled, named])).toEqual({
      type: 'ClaimsAccepted',
      status: 'False',
      severity: '',
      reason: 'ClaimsHeld',
      message: `The provider claims more than this binding has agreed to: secrets labelled app=db (${claimId(labelled)}); configmaps named */ca or named in tests.example.com (${claimId(named)}). Nothing of that is served. Accepted claims bring objects of the provider only into namespaces with bound objects, or made for it. To accept it: kubectl annotate apiservicebinding b hawser.dev/accepted-claims=${claimId(labelled)},${claimId(named)} --overwrite`,
    });
  });
  it('is not there where nothing was ever held', () => {
    expect(consentCondition(binding(bound()), [])).toBeUndefined();
  });
  it('becomes True when nothing is held any more', () => {
    const before = binding({
      conditions: [
        {
          type: 'ClaimsAccepted',
          status: 'False',
          reason: 'ClaimsHeld',
          message: 'x',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    expect(consentCondition(before, [])).toMatchObject({ status: 'True' });
  });
});
