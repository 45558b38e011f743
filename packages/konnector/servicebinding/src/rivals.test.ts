import { describe, expect, it } from '@jest/globals';
import type { APIServiceBinding } from '@hawser/kube-bind';
import { type Claimant, olderRival } from './rivals.js';

const binding = (name: string, created: string, deleting = false): APIServiceBinding => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'APIServiceBinding',
  metadata: { name, uid: name, creationTimestamp: created, ...(deleting ? { deletionTimestamp: created } : {}) },
});
const wants = (of: APIServiceBinding, ...names: string[]): Claimant => ({
  binding: of,
  wants: (name) => names.includes(name),
});

const me = binding('m', '2026-01-02T00:00:00Z');
const db = 'databases.example.com';

describe('olderRival', () => {
  it.each<[string, Claimant[], string | undefined]>([
    ['nobody else', [wants(me, db)], undefined],
    ['an older binding of the same resource', [wants(binding('z', '2026-01-01T00:00:00Z'), db)], 'z'],
    [
      'an older binding of another resource',
      [wants(binding('z', '2026-01-01T00:00:00Z'), 'zones.example.com')],
      undefined,
    ],
    ['a younger binding', [wants(binding('a', '2026-01-03T00:00:00Z'), db)], undefined],
    ['the same second, a smaller name', [wants(binding('a', '2026-01-02T00:00:00Z'), db)], 'a'],
    ['the same second, a larger name', [wants(binding('z', '2026-01-02T00:00:00Z'), db)], undefined],
    ['an older binding on its way out', [wants(binding('z', '2026-01-01T00:00:00Z', true), db)], undefined],
    [
      'the oldest of several',
      [wants(binding('y', '2026-01-01T12:00:00Z'), db), wants(binding('x', '2026-01-01T00:00:00Z'), db)],
      'x',
    ],
  ])('%s', (_, others, expected) => {
    expect(olderRival(me, db, others)).toBe(expected);
  });
});
