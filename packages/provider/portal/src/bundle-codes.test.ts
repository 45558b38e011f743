import type { KubeObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { BundleCodes, type BundleGrant } from './bundle-codes.js';
import { Sealer } from './seal.js';
import { leaseClient } from './testing/lease-client.js';

const grant: BundleGrant = {
  person: { issuer: 'https://issuer', subject: 'jane', groups: ['databases'], name: undefined },
  wish: { name: 'db', template: 'databases', cluster: { identity: 'uid', prettyName: 'Acme' } },
  acceptedClaims: [],
  asked: 'hash',
};
const { signal } = new AbortController();

describe('codes of bundles', () => {
  let clock: FakeClock;
  let leases: ReadonlyMap<string, KubeObject>;
  let codes: BundleCodes;

  beforeEach(() => {
    clock = new FakeClock();
    const lab = leaseClient();
    ({ leases } = lab);
    const key = { id: 'one', created: 0, bytes: new Uint8Array(32) };
    const keys = { seal: () => Promise.resolve(key), find: () => Promise.resolve(key) };
    let made = 0;
    codes = new BundleCodes({
      client: lab.client,
      clock,
      sealer: new Sealer(keys, clock),
      namespace: 'portal',
      randomBytes: (size) => new Uint8Array(size).fill(++made),
    });
  });

  it('are worth what they were given for, until one has used them', async () => {
    const { code } = await codes.issue(grant, signal);
    const [first, second] = [await codes.find(code, signal), await codes.find(code, signal)];
    expect(first?.grant).toMatchObject({ ...grant, person: { subject: 'jane', groups: ['databases'] } });
    expect([await second?.use(signal), await first?.use(signal)]).toEqual([true, false]);
    expect(await codes.find(code, signal)).toBeUndefined();
  });

  it('are worth nothing after ten minutes, swept or not', async () => {
    const { code, expires } = await codes.issue(grant, signal);
    expect(expires).toBe(clock.now() + 600_000);
    await clock.advance(599_000);
    expect(await codes.find(code, signal)).toBeDefined();
    await clock.advance(1_001);
    expect(await codes.find(code, signal)).toBeUndefined();
    expect(leases.size).toBe(1);
    await codes.sweep(signal);
    expect(leases.size).toBe(0);
  });

  it('count for a person as long as they can be used', async () => {
    for (let count = 0; count < 10; count++) await codes.issue(grant, signal);
    await expect(codes.issue(grant, signal)).rejects.toMatchObject({ status: 429 });
    await clock.advance(600_001);
    await expect(codes.issue(grant, signal)).resolves.toBeDefined();
  });
});
