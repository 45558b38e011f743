import { describe, expect, it } from '@jest/globals';

import { type Opening, decideOpening, decideUnbound } from './decide-opening.js';
import type { Decision } from './decision.js';
import type { Selection } from './selection.js';
import { copyObject, sourceObject } from './testing/pairs.js';

const summary = ({ verdict }: Decision): string =>
  verdict.kind === 'held'
    ? verdict.reason
    : verdict.kind === 'progressing'
      ? `waits for ${verdict.waitingFor}`
      : verdict.kind;
const selects = (selection: Selection) => (): Selection => selection;
const asksNot = (): Selection => {
  throw new Error('the filter is asked');
};
const source = sourceObject();
const going = sourceObject({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
const several = {
  kind: 'several',
  copies: [copyObject({ metadata: { name: 'b' } }), copyObject({ metadata: { name: 'a' } })],
} as const;

describe('an object of a workspace that is there', () => {
  const opening: Opening = {
    source,
    chosen: { kind: 'one', copy: copyObject(), standing: 'marked' },
    keepsCopies: false,
    lacksPath: false,
    selection: selects('selected'),
  };

  it.each<[string, Partial<Opening>, string]>([
    ['is worked on', {}, 'selected'],
    ['is worked on without a copy', { chosen: { kind: 'none' } }, 'selected'],
    ['is worked on where the filter leaves it out', { selection: selects('notSelected') }, 'left out'],
    ['waits for namespaces', { selection: selects('notReady') }, 'waits for cache'],
    ['is held where its namespace cannot be seen', { selection: selects('unknown') }, 'NamespaceNotVisible'],
    ['that is gone is worked on whatever the filter', { source: undefined, selection: asksNot }, 'selected'],
    ['with two copies is held', { chosen: several, selection: asksNot }, 'TwoCopies'],
    [
      'with two copies is let go where copies stay',
      { chosen: several, keepsCopies: true, selection: asksNot },
      'selected',
    ],
    ['waits for the path of its workspace', { lacksPath: true, selection: asksNot }, 'waits for workspacePath'],
    ['that is being deleted waits for no path', { lacksPath: true, source: going }, 'selected'],
    ['that is let go waits for no path', { lacksPath: true, keepsCopies: true, selection: asksNot }, 'selected'],
    ['that is gone waits for no path', { lacksPath: true, source: undefined, selection: asksNot }, 'selected'],
  ])('%s', (_, more, expected) => {
    const decided = decideOpening({ ...opening, ...more });
    expect(decided.kind === 'nothing' ? summary(decided.decision) : decided.selected ? 'selected' : 'left out').toBe(
      expected,
    );
  });

  it('names both copies', () => {
    expect(JSON.stringify(decideOpening({ ...opening, chosen: several }))).toContain('ws1/a and ws1/b');
  });
});

it.each([
  [true, 'orphan'],
  [false, 'absent'],
])('without a workspace, and with a copy: %s, it is an %s', (hasCopy, expected) => {
  expect(summary(decideUnbound('ws1', hasCopy))).toBe(expected);
});
