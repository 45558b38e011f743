import type { Problem } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import { describe, expect, it } from '@jest/globals';
import { type Look, type Seen, decideLook, decideSync, waitingState } from './decide-look.js';
import { endpointProblem } from './endpoint-problem.js';
import { Keys, parseKey } from './keys.js';
import type { State } from './report.js';

const problem: Problem = { reason: 'EndpointUnusable', actor: 'operator', message: 'It cannot be used.' };
const published = (more: Partial<PublishedResource> = {}): PublishedResource => ({
  apiVersion: 'syncagent.kcp.io/v1alpha1',
  kind: 'PublishedResource',
  metadata: { name: 'one', uid: 'u1' },
  spec: { resource: { apiGroup: 'example.com', kind: 'Database', version: 'v1' } },
  status: { resourceSchemaName: 'v1.databases.example.com' },
  ...more,
});
const object = published();
const stateSummary = (state: State | undefined): string => {
  if (state === undefined) return 'as it did';
  return 'problem' in state && state.problem !== undefined ? `${state.kind} ${state.problem.reason}` : state.kind;
};
const summary = (look: Look): string =>
  look.kind === 'stop' || look.kind === 'conclude' ? `${look.kind}: ${stateSummary(look.state)}` : look.kind;

describe('a PublishedResource', () => {
  const seen: Seen = {
    object,
    isEnding: false,
    older: undefined,
    endpointsKnown: true,
    isBound: true,
    isRunning: false,
    problem: undefined,
  };

  it.each<[string, Partial<Seen>, string]>([
    ['is brought in step', {}, 'bringInStep'],
    ['that is no more is forgotten', { object: undefined }, 'forget'],
    ['that ends is left to that', { isEnding: true }, 'wait'],
    ['without a schema has no sync', { object: published({ status: {} }) }, 'stop: stopped'],
    [
      'that is switched off has no sync',
      { object: published({ spec: { ...object.spec, synchronization: { enabled: false } } }) },
      'stop: stopped',
    ],
    [
      'that is being deleted has no sync',
      { object: published({ metadata: { name: 'one', deletionTimestamp: '2026-01-01T00:00:00Z' } }) },
      'stop: stopped',
    ],
    [
      'waits for an older one that publishes the same',
      { older: published({ metadata: { name: 'older' } }) },
      'stop: waiting ResourcePublishedTwice',
    ],
    ['waits for the endpoints', { endpointsKnown: false, isBound: false }, 'wait'],
    ['that nobody has bound says so', { isBound: false, problem }, 'conclude: unbound EndpointUnusable'],
    ['whose sync runs stands as it did without endpoints', { isBound: false, isRunning: true }, 'conclude: as it did'],
  ])('%s', (_, more, expected) => {
    expect(summary(decideLook({ ...seen, ...more }))).toBe(expected);
  });
});

it.each<[string | undefined, string | undefined, boolean, ReturnType<typeof decideSync>]>([
  [undefined, undefined, true, 'replace'],
  ['before', undefined, true, 'replace'],
  ['before', 'before', true, 'replace'],
  ['before', undefined, false, 'stop'],
  ['now', undefined, false, 'writeDown'],
  ['now', 'now', true, 'writeDown'],
  ['before', 'now', true, 'leave'],
])('with a sync of %s that runs, and %s that is invalid, served %s: %s', (running, invalid, isServed, expected) => {
  expect(decideSync({ wanted: 'now', running, invalid }, isServed)).toBe(expected);
});

it.each<[number, Problem | undefined, string]>([
  [1, undefined, 'waiting'],
  [5, undefined, 'waiting'],
  [6, undefined, 'waiting NotServed'],
  [6, problem, 'waiting EndpointUnusable'],
])('after %s looks without an answer, with %j, is %s', (looks, wrong, expected) => {
  const resource = { group: 'example.com', version: 'v1', resource: 'databases' };
  expect(stateSummary(waitingState(resource, looks, wrong))).toBe(expected);
});

it.each<[readonly string[], readonly string[], boolean, string | undefined]>([
  [['One cannot be used.'], ['One cannot be read.'], false, 'EndpointUnusable'],
  [[], ['One cannot be read.'], false, 'WorkspacesNotReadable'],
  [[], [], false, 'EndpointSliceNotFound'],
  [[], [], true, undefined],
])('of endpoints with %j, %j, slice %s: %s', (unusable, unreadable, isSliceThere, expected) => {
  expect(endpointProblem({ slice: 's', isSliceThere, unusable, unreadable })?.reason).toBe(expected);
});

it('reads the keys that it makes', () => {
  const made: string[] = [];
  const note = (key: string): void => {
    made.push(key);
  };
  const keys = new Keys(() => ({ add: note, addAfter: note }) as never);
  keys.endpoints();
  keys.sync('a');
  keys.syncAfter('b', 1);
  keys.report('c');
  keys.reportSoon('d');
  keys.end('uid/e');
  keys.endAfter('f');
  expect(made.map(parseKey)).toEqual([
    { kind: 'endpoints' },
    { kind: 'sync', of: 'a' },
    { kind: 'sync', of: 'b' },
    { kind: 'report', of: 'c' },
    { kind: 'report', of: 'd' },
    { kind: 'end', of: 'uid/e' },
    { kind: 'end', of: 'f' },
  ]);
});
