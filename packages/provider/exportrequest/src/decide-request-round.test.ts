import type { APIServiceExportRequest } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { decideRequestRound, type RoundSettings } from './decide-request-round.js';
import type { RequestRound, RoundDecision } from './request-decision.js';
import { withOutcome } from './request-outcome.js';
import { sourceSchema } from './source-schema.js';
import type { Admission } from './template/admission.js';
import { apiExport, boundSchema, crd, ownedBy, request } from './testing/objects.js';

const settings: RoundSettings = {
  informerScope: 'Cluster',
  isolation: 'Prefixed',
  exportsPerConsumer: 2,
  intervalMs: 20_000,
};
const now = Date.UTC(2026, 10, 21, 15, 24, 8);
const source = sourceSchema(crd('databases'), settings);
if (source.kind !== 'offered') throw new Error(source.message);
const schema = boundSchema(source.spec, source.hash, [ownedBy('databases')]);
const succeeded = withOutcome({ phase: 'Pending' }, { kind: 'succeeded' }, now);
const judged = (admission: Admission): RequestRound['judged'] => ({
  uid: 'request-uid',
  generation: undefined,
  admission,
});
const forbidden = judged({ kind: 'forbidden', templates: ['databases'], user: 'u' });
const full = { exports: 2, namespaces: 0 };

function round(parts: Partial<RequestRound>): RoundDecision {
  return decideRequestRound(settings, {
    request: request(),
    sources: new Map([['databases.example.com', source]]),
    boundSchemas: new Map([['databases.example.com', schema]]),
    export: apiExport(),
    namespaces: new Map(),
    made: { exports: 0, namespaces: 0 },
    now,
    judged: undefined,
    waitMs: 0,
    reviewInMs: 61_000,
    ...parts,
  });
}

/** The request as it stands once all that is decided of it has been written. */
function reported(parts: Partial<RequestRound>): Partial<RequestRound> {
  const [action] = round(parts).actions;
  if (action?.type !== 'writeStatus') throw new Error('no status');
  return { ...parts, request: { ...action.request, status: withOutcome(action.request.status, action.outcome, now) } };
}

describe('decideRequestRound', () => {
  const followed: APIServiceExportRequest = request({ schemaUpdatePolicy: 'Always' }, succeeded);
  const many = Array.from({ length: 51 }, (_, index) => ({ name: `n${index}` }));

  it.each<[string, Partial<RequestRound>, object]>([
    [
      "does nothing for a request that waits for its consumer's turn",
      { waitMs: 500, export: undefined },
      { actions: [], requeueAfterMs: 500 },
    ],
    [
      'is done with a request that is answered',
      { request: request({}, succeeded) },
      { actions: [], requeueAfterMs: undefined },
    ],
    [
      'looks again at one whose schemas follow their CRDs',
      { request: followed },
      { actions: [], requeueAfterMs: 20_000 },
    ],
    ['is done with a request that is gone', { request: undefined }, { actions: [] }],
    ['makes what is missing', { export: undefined }, { actions: [{ type: 'createExport' }], yields: false }],
    ['lets others go first where much is missing', { request: request({ namespaces: many }) }, { yields: true }],
    [
      'waits for an offer',
      reported({ export: undefined, judged: judged({ kind: 'notOffered' }) }),
      { actions: [], waits: true, requeueAfterMs: undefined },
    ],
    [
      'looks again for a right that nothing tells of',
      reported({ export: undefined, judged: forbidden }),
      { actions: [], waits: true, requeueAfterMs: 61_000 },
    ],
    [
      'waits for room',
      reported({ export: undefined, made: full }),
      { actions: [], waits: true, requeueAfterMs: undefined },
    ],
    [
      'looks again for room where an export may not have been made',
      reported({ export: undefined, made: full, isUnsure: true }),
      { actions: [], waits: true, requeueAfterMs: 61_000 },
    ],
  ])('%s', (_, parts, expected) => {
    expect(round(parts)).toMatchObject(expected);
  });
});
