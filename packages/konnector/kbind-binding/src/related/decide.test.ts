import type { UnstructuredObject } from '@hawser/client';
import { describe, expect, it } from '@jest/globals';
import { decide } from './decide.js';
import type { Observed, SideObserved } from './decision.js';

const owner = { bindingUID: 'binding', consumerUID: 'consumer' };
const managedFields = [
  {
    manager: 'kbind-konnector-related',
    operation: 'Update',
    fieldsV1: { 'f:metadata': { 'f:annotations': { 'f:core.kbind.io/related-binding': {} } } },
  },
] as const;

const object = (uid: string): UnstructuredObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'one', namespace: 'team', uid, resourceVersion: '1', managedFields },
});
const side = (uid: string, more: Partial<SideObserved>): SideObserved => ({
  object: object(uid),
  marking: 'none',
  selected: false,
  isEcho: false,
  protection: undefined,
  ...more,
});
const observed = (more: Partial<Observed>): Observed => ({
  kind: 'Secret',
  namespace: 'team',
  name: 'one',
  sides: {},
  cacheReady: { consumer: true, provider: true },
  unclear: [],
  full: undefined,
  memory: {},
  deletion: undefined,
  now: 100_000,
  ...more,
});
const next = (more: Partial<Observed>): string => {
  const { actions, verdict } = decide(observed(more), owner);
  const [action] = actions;
  if (action !== undefined) return action.type;
  return verdict.kind === 'held' ? `held ${verdict.reason}` : verdict.kind;
};

describe('a related copy', () => {
  const copy = { consumer: side('c', { marking: 'own' }) };
  const read = { contents: { consumer: object('c') } };

  it('without its original waits a minute, and for the budget, unless a deletion was seen', () => {
    expect(next({ sides: copy, ...read })).toBe('orphan');
    const late = { memory: { missingSince: 30_000 } };
    expect(next({ sides: copy, ...read, ...late })).toBe('orphan');
    expect(next({ sides: copy, ...read, ...late, deletion: 'held' })).toBe('orphan');
    expect(next({ sides: copy, ...read, ...late, deletion: 'allowed' })).toBe('prove');
    expect(next({ sides: copy, ...read, memory: { deleted: ['provider'] } })).toBe('prove');
  });

  it('goes by proof alone', () => {
    const gone = { sides: copy, ...read, memory: { deleted: ['provider'] as const } };
    expect(next({ ...gone, proof: 'originalGone' })).toBe('deleteCopy');
    expect(next({ ...gone, proof: 'none' })).toBe('progressing');
    expect(next({ ...gone, cacheReady: { consumer: true, provider: false } })).toBe('progressing');
    const { metadata } = object('c');
    const clone = { consumer: { ...object('c'), metadata: { ...metadata, managedFields: [] } } };
    expect(next({ ...gone, contents: clone, proof: 'originalGone' })).toBe('held RelatedCopyLeftOver');
  });

  it('is not collected by a rule that is not understood', () => {
    const sides = { ...copy, provider: side('p', {}) };
    expect(next({ sides, ...read })).toBe('prove');
    expect(next({ sides, ...read, unclear: ['provider'] })).toBe('notSelected');
  });

  it('is left alone where both sides say that they are one', () => {
    expect(next({ sides: { ...copy, provider: side('p', { marking: 'own' }) } })).toBe('held RelatedCopyLeftOver');
  });
});

describe('an original', () => {
  const provider = side('p', { selected: true });

  it.each([
    ['none', 'held RelatedObjectExists'],
    ['another', 'held RelatedObjectOfAnother'],
    ['former', 'read'],
  ] as const)('in whose place one stands that is marked as %s', (marking, expected) => {
    expect(next({ sides: { provider, consumer: side('c', { marking }) } })).toBe(expected);
  });

  it('is left alone where rules of both directions select it', () => {
    const sides = { provider, consumer: side('c', { selected: true }) };
    expect(next({ sides })).toBe('held RelatedObjectExists');
  });

  it('is neither read nor copied where it is protected, or there are too many', () => {
    expect(next({ sides: { provider: { ...provider, protection: 'so' } } })).toBe('held RelatedObjectProtected');
    expect(next({ sides: { provider }, full: 1_000 })).toBe('held TooManyRelatedObjects');
    expect(next({ sides: { consumer: side('c', { selected: true }) }, full: 1_000 })).toBe('read');
  });
});
