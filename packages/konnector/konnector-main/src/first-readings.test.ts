import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';
import type { MemberObserved } from './decide-targets.js';
import { FirstReadings } from './first-readings.js';
import { type Member, bindingMember, secretMember } from './observed.js';
import type { SecretReading, ValidSecret } from './secret-reading.js';

const secretOf = (hash: string): ValidSecret => ({
  kind: 'valid',
  hash,
  config: { server: 'https://provider', credentials: { kind: 'none' } },
  clusterNamespace: 'ns',
});
const observed = (name: string, parts: Partial<MemberObserved> = {}): MemberObserved => ({
  member: bindingMember(name),
  uid: name,
  secret: secretOf('cached'),
  pin: undefined,
  foreign: false,
  ...parts,
});
const { signal } = new AbortController();

describe('first readings', () => {
  const open = (live: (name: string) => Promise<SecretReading>, served: readonly Member[] = []) => {
    const clock = new FakeClock();
    const reads: string[] = [];
    const first = new FirstReadings({
      clock,
      isServed: (member) => served.includes(member),
      // `a-1` and `a-2` name Secret `a`.
      refOf: (member) => ({ namespace: 'ns', name: member.split(':')[1]?.split('-')[0] ?? '', key: 'kubeconfig' }),
      readLive: (ref) => {
        reads.push(ref?.name ?? '');
        return live(ref?.name ?? '');
      },
    });
    return { clock, reads, first };
  };

  it('reads each Secret once, however many are new with it, and again only when that was some time ago', async () => {
    const { clock, reads, first } = open((name) => Promise.resolve(secretOf(`live ${name}`)));
    const members = [observed('a-1'), observed('b-1'), observed('a-2')];
    const confirmed = await first.confirm(members, signal);
    expect(confirmed.members.map(({ secret }) => (secret as ValidSecret).hash)).toEqual(['live a', 'live b', 'live a']);
    expect(reads).toEqual(['a', 'b']);
    // The cache has taken it in.
    const again = confirmed.members;
    expect((await first.confirm(again, signal)).members).toEqual(again);
    expect(reads).toEqual(['a', 'b']);
    await clock.advance(10_000);
    await first.confirm(again, signal);
    expect(reads).toEqual(['a', 'b', 'a', 'b']);
  });

  it('reads nothing for who is served, bound, foreign, a Secret alone, or has no kubeconfig to be connected by', async () => {
    const served = bindingMember('served');
    const { reads, first } = open(() => Promise.resolve(secretOf('live')), [served]);
    const members = [
      observed('served'),
      observed('bound', { pin: 'provider' }),
      observed('foreign', { foreign: true }),
      observed('labelled', { member: secretMember('ns', 'labelled') }),
      observed('missing', { secret: { kind: 'missing' } }),
    ];
    expect((await first.confirm(members, signal)).members).toEqual(members);
    expect(reads).toEqual([]);
  });

  it('lets those wait whose Secret cannot be read, and nobody else', async () => {
    const error = new Error('the server is away');
    const { first } = open((name) => (name === 'a' ? Promise.reject(error) : Promise.resolve(secretOf('live'))));
    const { members, failed } = await first.confirm([observed('a-1'), observed('b-1'), observed('a-2')], signal);
    expect(members.map(({ secret }) => secret.kind)).toEqual(['unknown', 'valid', 'unknown']);
    expect(failed).toEqual({ error });
  });

  it('knows for which object of a name a kubeconfig was read, until that is forgotten', async () => {
    const { first } = open(() => Promise.resolve(secretOf('live')));
    await first.confirm([observed('a-1')], signal);
    expect([first.has(observed('a-1'), 'live'), first.has(observed('a-1'), 'cached')]).toEqual([true, false]);
    expect(first.has(observed('a-1', { uid: 'another' }), 'live')).toBe(false);
    first.forget(bindingMember('a-1'));
    expect(first.has(observed('a-1'), 'live')).toBe(false);
  });
});
