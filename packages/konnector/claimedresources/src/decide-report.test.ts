import { describe, expect, it } from '@jest/globals';
import type { ReadClaims } from './claim.js';
import type { ObjectClaimProblem } from './claim-sync.js';
import type { BindingClaimProblem } from './claims-in-sync.js';
import { type ClaimsObserved, type SyncObserved, decideReport, unreportedProblems } from './decide-report.js';

const notServed: BindingClaimProblem = { reason: 'ClaimNotSupported', message: 'pods cannot be claimed.' };
const trouble: BindingClaimProblem = { reason: 'ForbiddenByProvider', message: 'secrets cannot be listed.' };
const object = (name: string, message: string, hasEvent = false): ObjectClaimProblem => ({
  object: `secrets team/${name}`,
  reason: 'RejectedByProvider',
  message,
  actor: 'provider',
  bindings: ['a'],
  hasEvent,
});
const sync = (change: Partial<SyncObserved> = {}): SyncObserved => ({
  troubles: [],
  problems: [],
  surveyed: true,
  ...change,
});
const claim: ReadClaims['claims'][number] = {
  binding: 'a',
  resource: { group: '', version: 'v1', resource: 'secrets' },
  labels: undefined,
  owner: undefined,
  namespaces: undefined,
  named: [],
  references: [],
};
const observed = (change: Partial<ClaimsObserved> = {}): ClaimsObserved => ({
  syncs: [sync()],
  held: undefined,
  refusal: undefined,
  reading: { claims: [claim], problems: [] },
  ...change,
});
const held: ClaimsObserved['held'] = {
  deletions: { count: 20, token: 't', examples: ['secrets team/one on the consumer'] },
  perMinute: 10,
};

describe('decideReport', () => {
  it.each<[string, Partial<ClaimsObserved>]>([
    ['claims are not served yet', { syncs: [] }],
    ['a sync has not looked at everything', { syncs: [sync(), sync({ surveyed: false })] }],
  ])('says nothing while %s', (_, change) => {
    expect(decideReport(observed(change))).toBeUndefined();
  });

  it.each<[string, Partial<ClaimsObserved>]>([
    ['everything was looked at', {}],
    ['there are no claims', { syncs: [], reading: { claims: [], problems: [] } }],
    ['the binding was not read', { syncs: [], reading: undefined }],
    ['deletions are held that are not of its claims', { syncs: [], reading: undefined, held }],
  ])('says that there is no problem when %s', (_, change) => {
    expect(decideReport(observed(change))).toEqual({ problems: [], events: [] });
  });

  it('tells of problems before everything was looked at, what is not of an object first', () => {
    const refusal: BindingClaimProblem = { reason: 'ForbiddenOnConsumer', message: 'kube-system cannot be read.' };
    const report = decideReport(
      observed({
        held,
        refusal,
        reading: {
          claims: [claim],
          problems: [{ reason: 'ClaimNotSupported', message: notServed.message, actor: 'provider' }],
        },
        syncs: [sync({ problems: [object('one', 'too large')], troubles: [trouble], surveyed: false })],
      }),
    );
    expect(report?.problems.map(({ reason }) => reason)).toEqual([
      'ClaimedDeletionsHeld',
      'ForbiddenOnConsumer',
      'ClaimNotSupported',
      'ForbiddenByProvider',
      'RejectedByProvider',
    ]);
    expect(report?.events).toEqual(report?.problems);
  });

  it('has Events of the binding for what has none, each message once', () => {
    const problems = [object('one', 'too large'), object('two', 'too large'), object('three', 'refused', true)];
    const report = decideReport(
      observed({ syncs: [sync({ problems, troubles: [trouble] }), sync({ troubles: [trouble] })] }),
    );
    expect(report?.problems).toHaveLength(5);
    expect(report?.events.map(({ message }) => message)).toEqual([trouble.message, 'too large']);
  });
});

describe('unreportedProblems', () => {
  const long: BindingClaimProblem = { reason: 'ClaimNotSupported', message: 'x'.repeat(300) };

  it.each<[string, ReadonlySet<string>, string, readonly BindingClaimProblem[]]>([
    ['nothing was told', new Set(), '', [long]],
    ['another one was told', new Set([notServed.message]), notServed.message, [long]],
    ['it was told', new Set([long.message]), '', []],
    ['the condition has it', new Set(), `${notServed.message} ${long.message}`, []],
    ['the condition has as much of it as tells it from others', new Set(), 'x'.repeat(200), []],
    ['the condition has less of it', new Set(), 'x'.repeat(199), [long]],
  ])('when %s', (_, reported, message, unreported) => {
    expect(unreportedProblems([long], reported, message)).toEqual(unreported);
  });
});
