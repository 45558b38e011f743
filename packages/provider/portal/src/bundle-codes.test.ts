import { ApiError, type KubeObject, type ObjectKey } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { BundleCodes, type BundleCodesOptions, type BundleGrant } from './bundle-codes.js';
import { Sealer } from './seal.js';

const grant: BundleGrant = {
  person: { issuer: 'https://issuer', subject: 'jane', groups: ['databases'], name: undefined },
  wish: { name: 'db', template: 'databases', cluster: { identity: 'uid', prettyName: 'Acme' } },
  acceptedClaims: [],
  asked: 'hash',
};
const { signal } = new AbortController();

describe('codes of bundles', () => {
  let clock: FakeClock;
  let leases: Map<string, KubeObject>;
  let codes: BundleCodes;

  const missing = ({ namespace, name }: ObjectKey): ApiError =>
    new ApiError(
      'NotFound',
      'not found',
      { cluster: 'provider', verb: 'get', resource: 'leases', namespace, name },
      {
        httpStatus: 404,
        status: { kind: 'Status', reason: 'NotFound', details: { group: 'coordination.k8s.io', kind: 'leases', name } },
      },
    );

  beforeEach(() => {
    clock = new FakeClock();
    leases = new Map();
    let version = 0;
    const client = {
      get: (_: unknown, key: ObjectKey) => {
        const lease = leases.get(key.name);
        return lease === undefined ? Promise.reject(missing(key)) : Promise.resolve(lease);
      },
      list: () => Promise.resolve({ items: [...leases.values()] }),
      create: (_: unknown, lease: KubeObject) => {
        version += 1;
        const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(version) } };
        leases.set(lease.metadata.name, stored);
        return Promise.resolve(stored);
      },
      delete: (_: unknown, key: ObjectKey) =>
        leases.delete(key.name) ? Promise.resolve({}) : Promise.reject(missing(key)),
    } as unknown as BundleCodesOptions['client'];
    const key = { id: 'one', created: 0, bytes: new Uint8Array(32) };
    const keys = { seal: () => Promise.resolve(key), find: () => Promise.resolve(key) };
    let made = 0;
    codes = new BundleCodes({
      client,
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
