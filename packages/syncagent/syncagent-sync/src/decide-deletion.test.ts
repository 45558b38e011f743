import type { UnstructuredObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import { decide } from './decide.js';
import type { Decision } from './decision.js';
import type { Observed, PairSettings } from './observed.js';
import { copyObject, observed, settings, sourceObject } from './testing/pairs.js';

const summary = ({ actions, verdict }: Decision): string =>
  [
    ...actions.map(({ type }) => type),
    verdict.kind === 'held'
      ? verdict.reason
      : verdict.kind === 'progressing'
        ? `waits for ${verdict.waitingFor}`
        : verdict.kind,
  ].join(', ');
const messageOf = ({ verdict }: Decision): string => ('message' in verdict ? verdict.message : '');
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const copy = (metadata: Record<string, unknown> = {}): UnstructuredObject => copyObject({ metadata });
const by = (manager: string): Record<string, unknown> => ({
  managedFields: [{ manager, operation: 'Update', fieldsV1: { 'f:spec': {} } }],
});
const pending = { annotations: { 'hawser.dev/adopted': 'pending' } };
const others = { labels: { 'syncagent.kcp.io/agent-name': 'agent-2' } };
const controller = {
  ownerReferences: [
    { apiVersion: 'v1', kind: 'User', name: 'user', uid: 'u', controller: false },
    { apiVersion: 'apps/v1', kind: 'Fleet', name: 'pg', uid: 'f', controller: true },
  ],
};
const related: PairSettings = { ...settings, marks: undefined, status: 'none' };
/** The source was read live beside the copy. */
const stands = { memory: { deletionStands: 'copy-uid' } };
const released = 'forget, releaseFinalizer, waits for write';

describe('with an object of kcp that is being deleted', () => {
  const deleted = (metadata: Record<string, unknown> = {}): UnstructuredObject =>
    sourceObject({ metadata: { ...going, ...metadata } });
  const decided = (
    destination: UnstructuredObject | undefined,
    more: Partial<Observed> = {},
    of = settings,
    source = deleted(),
  ): Decision => decide(observed(source, destination, source, more), of);
  const ending = { ...settings, letGo: true };

  it.each<[string, UnstructuredObject | undefined, Partial<Observed>, string]>([
    ['it is read live before its copy goes', copy(), {}, 'confirmDeletion, waits for proof'],
    [
      'it is read again for another copy',
      copy(),
      { memory: { deletionStands: 'another-uid' } },
      'confirmDeletion, waits for proof',
    ],
    ['its copy goes', copy(), stands, 'delete, waits for copyToGo'],
    ['its copy that is going is waited for', copy(going), {}, 'waits for copyToGo'],
    ['the copy that is known to be gone is not deleted again', copy(), { memory: { gone: 'copy-uid' } }, released],
    [
      'another object than the one that is gone is a copy',
      copy(),
      { memory: { gone: 'another-uid', ...stands.memory } },
      'delete, waits for copyToGo',
    ],
    ["another agent's copy stays", copy(others), {}, 'OtherAgent'],
    [
      "the finalizer that it got while the other agent was faster does not keep it for another agent's copy",
      copy(others),
      { remembered: false, memory: { finalizerAdded: 'source-uid' } },
      'releaseFinalizer, OtherAgent',
    ],
    [
      'where it is not known who has set it, that is read first',
      copy(others),
      { remembered: false },
      'confirmHolder, OtherAgent',
    ],
    [
      'one that another agent has set does',
      copy(others),
      { remembered: false, memory: { finalizerOthers: 'source-uid' } },
      'OtherAgent',
    ],
    [
      'of one that a former object of the name got it is read who has set it',
      copy(others),
      { remembered: false, memory: { finalizerAdded: 'former-uid', finalizerOthers: 'former-uid' } },
      'confirmHolder, OtherAgent',
    ],
    [
      'so does one for a copy that there was',
      copy(others),
      { remembered: true, memory: { finalizerAdded: 'source-uid' } },
      'OtherAgent',
    ],
    [
      'so does one that a related object needs',
      copy(others),
      { remembered: false, isNeededByOthers: () => true, memory: { finalizerAdded: 'source-uid' } },
      'OtherAgent',
    ],
    ['a copy that something controls stays', copy(controller), { standing: 'controlled' }, 'CopyControlled'],
    ['a copy in its place is read first', copy(), { standing: 'inPlace' }, 'confirmWritten, waits for proof'],
    [
      'a copy in its place goes where an agent wrote it',
      copy(by('api-syncagent')),
      { standing: 'inPlace', ...stands },
      'delete, waits for copyToGo',
    ],
    [
      'what a person wrote in its place stays, and holds the object',
      copy(by('kubectl')),
      { standing: 'inPlace' },
      'CopyUnproven',
    ],
    [
      'what was adopted and never agreed stays, and holds nothing',
      copy({ ...by('kubectl'), ...pending }),
      { standing: 'inPlace' },
      released,
    ],
    [
      'what a person wrote elsewhere is none, and the copy is searched',
      copy(by('kubectl')),
      { standing: 'elsewhere' },
      'confirmGone, waits for proof',
    ],
    [
      'what a person wrote elsewhere stays once no copy was found',
      copy(by('kubectl')),
      { standing: 'elsewhere', memory: { gone: 'none' } },
      released,
    ],
    [
      'what was adopted elsewhere and never agreed stays, and nothing is searched',
      copy({ ...by('kubectl'), ...pending }),
      { standing: 'elsewhere' },
      released,
    ],
    [
      'what was adopted and never agreed stays, whatever is known of it',
      copy(pending),
      { standing: 'marked' },
      released,
    ],
    ['a copy that is not there is searched', undefined, {}, 'confirmGone, waits for proof'],
    [
      'one of which nothing is remembered, too, where the finalizer says that there may be one',
      undefined,
      { remembered: false },
      'confirmGone, waits for proof',
    ],
  ])('%s', (_, destination, more, expected) => {
    expect(summary(decided(destination, more))).toBe(expected);
  });

  it('a copy is searched where only what is remembered says that there may be one, and none where nothing does', () => {
    const bare = deleted({ finalizers: ['example.com/x'] });
    expect([
      summary(decided(undefined, {}, settings, bare)),
      summary(decided(undefined, { remembered: false }, settings, bare)),
    ]).toEqual(['confirmGone, waits for proof', 'absent']);
  });

  it('nothing holds up a publication that ends and keeps copies', () => {
    expect(
      [
        decided(copy(controller), { standing: 'controlled' }, ending),
        decided(copy(by('kubectl')), { standing: 'inPlace' }, ending),
      ].map(summary),
    ).toEqual([released, released]);
    expect(summary(decided(copy(others), {}, ending))).toBe('OtherAgent');
  });

  it('a reason releases it, and an empty one does not', () => {
    const annotated = (reason: string): string =>
      summary(decided(copy(), {}, settings, deleted({ annotations: { 'hawser.dev/release': reason } })));
    expect([annotated('the cluster is gone'), annotated('')]).toEqual([released, 'confirmDeletion, waits for proof']);
  });

  it('without finalizers, nothing is deleted', () => {
    expect(summary(decided(copy(), {}, { ...settings, finalizer: false }))).toBe('inStep');
  });

  it('who holds it is told, and what to do', () => {
    expect(messageOf(decided(copy(controller), { standing: 'controlled' }))).toContain('but Fleet "pg" controls it');
    expect(messageOf(decided(copy(by('kubectl')), { standing: 'inPlace' }))).toContain(
      'annotate it with "hawser.dev/place: ws1/copy-of-one"',
    );
  });

  it('the finalizer goes only from objects in kcp, and only once no other object needs it', () => {
    const end = (more: Partial<Observed>, of = settings): string =>
      summary(decided(undefined, { memory: { gone: 'none' }, ...more }, of));
    expect([
      end({}),
      end({ isNeededByOthers: () => false }),
      end({ isNeededByOthers: () => true }),
      end({}, { ...settings, origin: 'service' }),
    ]).toEqual([released, released, 'forget, waits for write', 'forget, waits for write']);
    expect([end({ remembered: false }), end({ remembered: false, isNeededByOthers: () => true })]).toEqual([
      'releaseFinalizer, waits for write',
      'absent',
    ]);
  });
});

describe('with an object that is missing', () => {
  const seen: Partial<Observed> = { memory: { deletionSeen: true } };
  const gone: Partial<Observed> = { memory: { ...seen.memory, ...stands.memory } };
  const forced: PairSettings = { ...related, origin: 'service', forcedDeletion: true };
  const vanished = (destination: UnstructuredObject | undefined, more: Partial<Observed> = {}, of = settings): string =>
    summary(decide(observed(undefined, destination, sourceObject(), more), of));

  it.each<[string, UnstructuredObject | undefined, Partial<Observed>, PairSettings, string]>([
    ['its copy is kept and told', copy(), {}, settings, 'orphan'],
    ['it is searched live where its deletion was seen', copy(), seen, settings, 'confirmDeletion, waits for proof'],
    ['its copy goes where it is not found either', copy(), gone, settings, 'delete, waits for copyToGo'],
    ['its copy that is going is waited for', copy(going), seen, settings, 'waits for copyToGo'],
    [
      'its copy is read first where it bears the marks of a Go agent',
      copy(),
      { ...seen, standing: 'inPlace' },
      settings,
      'confirmWritten, waits for proof',
    ],
    [
      'what a person wrote in its place is kept and told',
      copy(by('kubectl')),
      { ...seen, standing: 'inPlace' },
      settings,
      'orphan',
    ],
    ["another agent's copy is none of ours", copy(others), {}, settings, 'absent'],
    ['what is remembered stays as long as its deletion was not seen', undefined, {}, settings, 'absent'],
    ['what is remembered goes with it', undefined, seen, settings, 'forget, absent'],
    ['nothing is forgotten where nothing is remembered', undefined, { ...seen, remembered: false }, settings, 'absent'],
    [
      'the copy that is known to be gone is not deleted again',
      copy(),
      { memory: { deletionSeen: true, gone: 'copy-uid' } },
      settings,
      'forget, absent',
    ],
    ['its related copy is kept and told', copy(), { made: 'copy-uid' }, related, 'orphan'],
    [
      'its related copy goes with its deletion',
      copy(),
      { ...gone, made: 'copy-uid' },
      related,
      'delete, waits for copyToGo',
    ],
    ['its related copy goes with the primary', copy(), { made: 'copy-uid' }, forced, 'delete, waits for copyToGo'],
    [
      'its related copy stays where it came from kcp',
      copy(),
      { made: 'copy-uid' },
      { ...forced, origin: 'kcp' },
      'orphan',
    ],
    [
      'its related copy stays as long as the primary stays',
      copy(),
      { made: 'copy-uid' },
      { ...forced, forcedDeletion: false },
      'orphan',
    ],
    [
      "what stands in the place of its related copy is nobody's business",
      copy(),
      { ...seen, made: 'another-uid' },
      related,
      'forget, absent',
    ],
  ])('%s', (_, destination, more, of, expected) => {
    expect(vanished(destination, more, of)).toBe(expected);
  });
});
