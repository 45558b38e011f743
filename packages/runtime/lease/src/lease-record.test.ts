import { describe, expect, it } from '@jest/globals';
import { heldSpec, holderOf, microTime, recordText, releasedSpec } from './lease-record.js';

const lease = (spec?: object) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'x' },
  spec,
});
/** As client-go writes it. */
const theirs = {
  holderIdentity: 'host_2f1c',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T10:00:00.123456Z',
  renewTime: '2026-01-01T10:05:00.654321Z',
  leaseTransitions: 3,
};

describe('the record of a lease', () => {
  it('has times with six decimals', () => {
    expect(microTime(Date.UTC(2026, 0, 1, 10, 0, 0, 7))).toBe('2026-01-01T10:00:00.007000Z');
  });

  it('counts a transition when the holder changes, after a release too, and not when it renews or begins', () => {
    const now = Date.UTC(2026, 0, 2);
    expect(heldSpec(undefined, 'me', 15_000, now)).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-02T00:00:00.000000Z',
      renewTime: '2026-01-02T00:00:00.000000Z',
      leaseTransitions: 0,
    });
    expect(heldSpec(theirs, 'me', 15_000, now)).toMatchObject({
      holderIdentity: 'me',
      acquireTime: '2026-01-02T00:00:00.000000Z',
      leaseTransitions: 4,
    });
    expect(heldSpec(theirs, 'host_2f1c', 15_000, now)).toEqual({ ...theirs, renewTime: '2026-01-02T00:00:00.000000Z' });
    expect(heldSpec({ ...theirs, holderIdentity: '' }, 'me', 15_000, now).leaseTransitions).toBe(4);
    expect(heldSpec({}, 'me', 14_500, now)).toMatchObject({ leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  it('is released as client-go does it, and keeps fields that it does not know', () => {
    expect(releasedSpec({ ...theirs, strategy: 'x' } as object, Date.UTC(2026, 0, 2))).toEqual({
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: '2026-01-02T00:00:00.000000Z',
      renewTime: '2026-01-02T00:00:00.000000Z',
      leaseTransitions: 3,
      strategy: 'x',
    });
  });

  it('has no holder when that is empty, null or absent', () => {
    expect(
      [undefined, {}, { holderIdentity: null }, { holderIdentity: '' }, theirs].map((spec) => holderOf(lease(spec))),
    ).toEqual([undefined, undefined, undefined, undefined, 'host_2f1c']);
  });

  it('differs as soon as somebody renews', () => {
    expect(recordText(lease(theirs))).toBe(recordText({ ...lease({ ...theirs }), metadata: { name: 'x' } }));
    expect(recordText(lease(theirs))).not.toBe(
      recordText(lease({ ...theirs, renewTime: '2026-01-01T10:05:00.654322Z' })),
    );
  });
});
