import type { UnstructuredObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';

import type { Observed, PairSettings } from './observed.js';
import { agrees, isOurs, mayDelete, ownershipOf } from './ownership.js';
import { copyObject, observed, settings, sourceObject } from './testing/pairs.js';

const by = (manager: string): object => ({
  managedFields: [{ manager, operation: 'Update', fieldsV1: { 'f:spec': {} } }],
});
const controller = {
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Fleet', name: 'pg', uid: 'f', controller: true }],
};
const pending = { annotations: { 'hawser.dev/adopted': 'pending' } };
const read = (byAgent: boolean, uid = 'copy-uid'): Partial<Observed> => ({ memory: { written: { uid, byAgent } } });

describe('a primary copy', () => {
  it.each<[string, object, Partial<Observed>, string, string]>([
    [
      'in its place, that an agent has made as the copy of a related object',
      by('hawser-syncagent/another'),
      { standing: 'inPlace' },
      'ours',
      'foreign',
    ],
    ['that bears our mark of its place', {}, {}, 'ours', 'ours'],
    ['that bears it, whoever has written it', by('kubectl'), { standing: 'marked' }, 'ours', 'ours'],
    ['that waits for both sides to agree', pending, { standing: 'marked' }, 'foreign', 'foreign'],
    [
      'that waits, in its place and written by an agent',
      { ...pending, ...by('hawser') },
      { standing: 'inPlace' },
      'foreign',
      'foreign',
    ],
    ['that something else controls', by('hawser'), { standing: 'controlled' }, 'foreign', 'foreign'],
    ['in its place, with the marks of a Go agent, unread', {}, { standing: 'inPlace' }, 'ours', 'unproven'],
    ['in its place, that an agent has written', by('api-syncagent'), { standing: 'inPlace' }, 'ours', 'ours'],
    ['in its place, that a person has written', by('kubectl'), { standing: 'inPlace' }, 'ours', 'foreign'],
    ['elsewhere, unread', {}, { standing: 'elsewhere' }, 'unproven', 'unproven'],
    ['elsewhere, that an agent has written', by('api-syncagent'), { standing: 'elsewhere' }, 'ours', 'ours'],
    ['elsewhere, that a person has written', by('kubectl'), { standing: 'elsewhere' }, 'foreign', 'foreign'],
    ["elsewhere, read as an agent's", {}, { standing: 'elsewhere', ...read(true) }, 'ours', 'ours'],
    ["elsewhere, read as a person's", {}, { standing: 'elsewhere', ...read(false) }, 'foreign', 'foreign'],
    [
      'elsewhere, where another object was read',
      {},
      { standing: 'elsewhere', ...read(true, 'another-uid') },
      'unproven',
      'unproven',
    ],
    [
      'elsewhere, whose own account says otherwise than what was read',
      by('kubectl'),
      { standing: 'elsewhere', ...read(true) },
      'foreign',
      'foreign',
    ],
  ])('%s', (_, metadata, more, write, remove) => {
    const copy = copyObject({ metadata: metadata as Record<string, unknown> });
    const known = observed(sourceObject(), copy, undefined, more);
    expect([
      ownershipOf(known, copy, settings),
      mayDelete(known, copy, settings),
      isOurs(known, copy, settings),
    ]).toEqual([write, remove, write === 'ours']);
  });
});

describe('a related copy', () => {
  const OWN = 'hawser-syncagent/own';
  const related: PairSettings = { ...settings, marks: undefined, creator: OWN };
  const plain = (metadata: object = {}, spec: unknown = { size: 'small' }): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Database',
    spec,
    metadata: { name: 'copy-of-one', namespace: 'ws1', uid: 'copy-uid', ...metadata },
  });
  const other = { size: 'other' };
  it.each<[string, UnstructuredObject, Partial<Observed>, string, string]>([
    ['that is written down', plain({}, other), { made: 'copy-uid' }, 'ours', 'ours'],
    ['that is written down, whatever controls it', plain(controller, other), { made: 'copy-uid' }, 'ours', 'ours'],
    [
      'where another one is written down, although it says the same and an agent wrote it',
      plain(by('hawser')),
      { made: 'another-uid' },
      'foreign',
      'foreign',
    ],
    [
      'that nothing is remembered of, although an agent wrote it',
      plain(by('hawser'), other),
      { remembered: false, last: { kind: 'none' } },
      'foreign',
      'foreign',
    ],
    ['that something controls, although it says what was pushed', plain(controller), {}, 'foreign', 'foreign'],
    ['that says what was pushed', plain(), {}, 'ours', 'unproven'],
    ['that says something else', plain({}, other), {}, 'unproven', 'unproven'],
    ['where it cannot be read what was pushed', plain(), { last: { kind: 'broken' } }, 'unproven', 'unproven'],
    ['that says something else, and an agent wrote it', plain(by('api-syncagent'), other), {}, 'ours', 'ours'],
    ['that says what was pushed, and a person wrote it', plain(by('kubectl')), {}, 'foreign', 'foreign'],
    ['that says something else, and we made it', plain(by(OWN), other), {}, 'ours', 'ours'],
    [
      'that says something else, and another agent made it, or we for another object',
      plain(by('hawser-syncagent/another'), other),
      {},
      'foreign',
      'foreign',
    ],
    ["that was read as an agent's", plain({}, other), read(true), 'ours', 'ours'],
  ])('%s', (_, copy, more, write, remove) => {
    const known = observed(sourceObject(), copy, { ...plain(), metadata: { name: 'one', namespace: 'team-a' } }, more);
    expect([ownershipOf(known, copy, related), mayDelete(known, copy, related)]).toEqual([write, remove]);
  });

  const secret = (fields: object, metadata: object = {}): UnstructuredObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    ...fields,
    metadata: { name: 's', namespace: 'ws1', uid: 'u', ...metadata },
  });
  const data = { data: { k: 'v' } };
  it.each<[string, UnstructuredObject, UnstructuredObject, boolean]>([
    ['says the same', secret(data), secret(data), true],
    [
      'says the same, with labels and owners that control nothing',
      secret(data, {
        labels: { app: 'x' },
        ownerReferences: [{ ...controller.ownerReferences[0], controller: false }],
      }),
      secret(data, { labels: { app: 'x' } }),
      true,
    ],
    ['says the same, in one word', secret({ immutable: true }), secret({ immutable: true }), true],
    ['says something else', secret(data), secret({ data: { k: 'w' } }), false],
    [
      'says nothing, as the other one',
      secret({ type: 'Opaque', data: {} }),
      secret({ type: 'Opaque', data: {} }),
      false,
    ],
    ['says null, as the other one', secret({ data: null }), secret({ data: null }), false],
    ['is controlled', secret(data, controller), secret(data), false],
    [
      "is an agent's",
      secret(data, { labels: { 'syncagent.kcp.io/agent-name': 'a' } }),
      secret(data, { labels: { 'syncagent.kcp.io/agent-name': 'a' } }),
      false,
    ],
    [
      'is the copy of another object',
      secret(data, { labels: { app: 'x', 'syncagent.kcp.io/remote-object-cluster': 'ws2' } }),
      secret(data, { labels: { app: 'x', 'syncagent.kcp.io/remote-object-cluster': 'ws2' } }),
      false,
    ],
  ])('is what stands in its place only where that %s', (_, occupant, wanted, expected) => {
    expect(agrees(occupant, wanted, [])).toBe(expected);
  });
});
