import { createHash } from 'node:crypto';
import type { KubeObject } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { silentLogger } from '@hawser/telemetry';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeviceCodes, hashOfUserCode } from './device-codes.js';
import { Sealer } from './seal.js';
import type { Session } from './session.js';
import { leaseClient } from './testing/lease-client.js';

const { signal } = new AbortController();
const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

describe('codes of terminals that no browser reaches', () => {
  let clock: FakeClock;
  let leases: ReadonlyMap<string, KubeObject>;
  let codes: DeviceCodes;
  let session: Session;
  let ended: Set<string>;

  beforeEach(() => {
    clock = new FakeClock();
    ended = new Set();
    const lab = leaseClient();
    ({ leases } = lab);
    session = {
      id: 'browser',
      expires: clock.now() + 3_600_000,
      person: { issuer: 'https://issuer', subject: 'jane', groups: ['databases'], name: undefined },
    };
    const key = { id: 'one', created: 0, bytes: new Uint8Array(32) };
    const keys = { seal: () => Promise.resolve(key), find: () => Promise.resolve(key) };
    let made = 0;
    let ids = 0;
    codes = new DeviceCodes({
      client: lab.client,
      clock,
      sealer: new Sealer(keys, clock),
      refreshes: {
        first: ({ id, expires, person }, idp) =>
          Promise.resolve({ token: `token of ${id}`, expires, person, refreshToken: idp }),
      },
      audit: silentLogger,
      revocations: { has: (id) => ended.has(id) },
      namespace: 'portal',
      // A byte that would make a letter likelier than others is not used.
      randomBytes: (size) => new Uint8Array(size).fill(++made % 2 === 1 ? 255 : made),
      newId: () => `terminal-${++ids}`,
    });
  });

  const approve = (by: Session, userCode: string, idp?: string): Promise<void> =>
    codes.approve(by, { hash: hashOfUserCode(userCode), by: by.id, idp }, { requestId: 'one', signal });

  it('sign in the terminal that shows one, once, with a session of its own', async () => {
    const { deviceCode, userCode, expiresInSeconds } = await codes.begin(challenge);
    expect([userCode, expiresInSeconds, leases.size]).toEqual(['DDDD-DDDD', 600, 0]);
    expect(await codes.take(deviceCode, verifier, signal)).toEqual({ kind: 'pending' });
    // As people type it.
    await approve(session, ' dddd dddd ');
    expect(await codes.take(deviceCode, verifier, signal)).toEqual({
      kind: 'signedIn',
      token: { token: 'token of terminal-1', expires: session.expires, person: session.person },
    });
    expect(await codes.take(deviceCode, verifier, signal)).toEqual({ kind: 'pending' });
    expect(leases.size).toBe(0);
  });

  it('are worth nothing to who has no secret, to another terminal, and after ten minutes', async () => {
    const mine = await codes.begin(challenge);
    const other = await codes.begin(challenge);
    await approve(session, mine.userCode);
    expect(await codes.take(mine.deviceCode, 'w'.repeat(43), signal)).toEqual({ kind: 'refused' });
    expect(await codes.take(other.deviceCode, verifier, signal)).toEqual({ kind: 'pending' });
    expect(await codes.take('forged', verifier, signal)).toEqual({ kind: 'refused' });
    await clock.advance(600_001);
    expect(await codes.take(mine.deviceCode, verifier, signal)).toEqual({ kind: 'refused' });
    await codes.sweep(signal);
    expect(leases.size).toBe(0);
  });

  it('are no longer worth anything than the session of the person', async () => {
    const { deviceCode, userCode } = await codes.begin(challenge);
    await approve({ ...session, expires: clock.now() + 5_000 }, userCode);
    await clock.advance(5_001);
    expect(await codes.take(deviceCode, verifier, signal)).toEqual({ kind: 'refused' });
  });

  it('are worth nothing once the person has signed out in the browser, and what was taken before lasts', async () => {
    const [first, second] = [await codes.begin(challenge), await codes.begin(challenge)];
    for (const { userCode } of [first, second]) await approve(session, userCode);
    expect(await codes.take(first.deviceCode, verifier, signal)).toMatchObject({ kind: 'signedIn' });
    ended.add(session.id);
    expect(await codes.take(second.deviceCode, verifier, signal)).toEqual({ kind: 'refused' });
  });

  it('hand out nothing for what somebody else has written into a Lease', async () => {
    const { deviceCode, userCode } = await codes.begin(challenge);
    const other = await codes.begin(challenge);
    await approve(session, other.userCode);
    await approve(session, userCode);
    const [foreign, own] = [...leases.values()];
    Object.assign(own?.metadata ?? {}, { annotations: foreign?.metadata.annotations });
    expect(await codes.take(deviceCode, verifier, signal)).toEqual({ kind: 'refused' });
  });

  it('are worth what renews the login, which no reader of Leases sees', async () => {
    const { deviceCode, userCode } = await codes.begin(challenge);
    await approve(session, userCode, 'of-the-identity-provider');
    expect(JSON.stringify([...leases.values()])).not.toContain('of-the-identity-provider');
    expect(await codes.take(deviceCode, verifier, signal)).toMatchObject({
      token: { refreshToken: 'of-the-identity-provider' },
    });
  });

  it.each(['', 'DDDD', 'AEIO-UAEI', 'DDDD-DDDDD'])('%j is not taken for a code', (code) => {
    expect(() => hashOfUserCode(code)).toThrow('This is not a code of a terminal.');
  });
});
