import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { kindOfAddress } from './addresses.js';
import { Reachable, type ReachableOptions } from './reachable.js';

const address = (text: string): LookupAddress => ({ address: text, family: isIP(text) });
const names: Readonly<Record<string, readonly string[]>> = {
  'api.example.com': ['8.8.8.8'],
  'inside.example.com': ['10.1.2.3'],
  'both.example.com': ['8.8.8.8', '127.0.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'provider.example.com': ['10.96.0.1'],
};
const reachable = (options: Partial<ReachableOptions> = {}): Reachable =>
  new Reachable({
    hosts: [],
    networks: [],
    ports: [443, 6443],
    own: [],
    isLocal: false,
    resolve: (host) => {
      const found = names[host];
      return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found.map(address));
    },
    ...options,
  });
const lookedUp = (to: Reachable, host: string, all = true): Promise<unknown> =>
  new Promise((resolve) => {
    to.lookup(host, { all }, (error, found, family) => {
      resolve(error === null ? (all ? found : [found, family]) : 'refused');
    });
  });
/** What becomes of a connection to a server. */
const outcome = async (to: Reachable, server: string): Promise<string> => {
  try {
    await to.check(server);
  } catch {
    return 'refused';
  }
  const host = new URL(server).hostname.replace(/^\[|\]$/gu, '');
  return isIP(host) !== 0 || (await lookedUp(to, host)) !== 'refused' ? 'reached' : 'refused';
};

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.8.8.8', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0:0:0:0:0:ffff:7f00:1', 'loopback'],
    ['0.0.0.0', 'never'],
    ['::', 'never'],
    ['::127.0.0.1', 'never'],
    ['169.254.169.254', 'never'],
    ['::ffff:169.254.169.254', 'never'],
    ['::ffff:a9fe:a9fe', 'never'],
    ['64:ff9b::a9fe:a9fe', 'never'],
    ['2002:a9fe:a9fe::', 'never'],
    ['fe80::1', 'never'],
    ['fd00:ec2::254', 'never'],
    ['100.100.100.200', 'never'],
    ['168.63.129.16', 'never'],
    ['224.0.0.1', 'never'],
    ['255.255.255.255', 'never'],
    ['ff02::1', 'never'],
    ['nonsense', 'never'],
    ['10.0.0.1', 'private'],
    ['172.31.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['fc00::1', 'private'],
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['2606:4700::1', 'public'],
  ])('%s is %s', (text, kind) => {
    expect(kindOfAddress(text)).toBe(kind);
  });
});

describe('a server that a person names', () => {
  it('is reached where its name is allowed and its addresses are public, and nowhere else', async () => {
    const to = reachable({
      hosts: ['api.example.com', 'inside.example.com', 'both.example.com', 'metadata.example.com'],
    });
    expect(await outcome(to, 'https://api.example.com:6443')).toBe('reached');
    expect(await outcome(to, 'https://API.example.com./')).toBe('reached');
    for (const server of [
      'https://inside.example.com',
      'https://both.example.com',
      'https://metadata.example.com',
      'https://other.example.com',
      'https://api.example.com.evil.test',
      'https://api.example.com:22',
      'https://8.8.8.8',
      'https://127.0.0.1',
      'https://[::1]',
      'https://[::ffff:7f00:1]',
      'https://0x7f.1',
      'https://2130706433',
      'https://localhost',
      'https://kubernetes.default.svc',
    ])
      expect([server, await outcome(to, server)]).toEqual([server, 'refused']);
  });

  it('is reached below a name with a star, and not at the name itself or a look-alike', async () => {
    const to = reachable({ hosts: ['*.example.com'] });
    expect(await outcome(to, 'https://api.example.com')).toBe('reached');
    for (const host of ['example.com', 'badexample.com', 'example.com.evil.test'])
      expect(await outcome(to, `https://${host}`)).toBe('refused');
  });

  it('is reached in a network that is named, but never on the link, at a metadata service, on loopback, or at the provider itself', async () => {
    const to = reachable({ networks: ['0.0.0.0/0', '::/0'], own: ['provider.example.com', '10.9.9.9'] });
    for (const server of ['https://10.1.2.4', 'https://inside.example.com', 'https://8.8.8.8'])
      expect([server, await outcome(to, server)]).toEqual([server, 'reached']);
    for (const server of [
      'https://169.254.169.254',
      'https://metadata.example.com',
      'https://127.0.0.1',
      'https://both.example.com',
      'https://[fd00:ec2::254]',
      'https://10.9.9.9',
      'https://[::ffff:10.9.9.9]',
      'https://10.96.0.1',
      'https://provider.example.com',
    ])
      expect([server, await outcome(to, server)]).toEqual([server, 'refused']);
  });

  it('is reached on loopback only by a portal that is there, too, and names it', async () => {
    const loopback = { networks: ['127.0.0.0/8'] };
    const server = 'https://127.0.0.1';
    expect(await outcome(reachable({ ...loopback, isLocal: true }), server)).toBe('reached');
    expect(await outcome(reachable(loopback), server)).toBe('refused');
    expect(await outcome(reachable({ networks: ['10.0.0.0/8'], isLocal: true }), server)).toBe('refused');
  });

  it('is connected to at the address that was judged, though its name answers otherwise a moment later', async () => {
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    const to = reachable({
      hosts: ['api.example.com'],
      resolve: () => Promise.resolve((answers.shift() ?? []).map(address)),
    });
    await to.check('https://api.example.com');
    expect(await lookedUp(to, 'api.example.com', false)).toEqual(['8.8.8.8', 4]);
    expect(await lookedUp(to, 'api.example.com')).toBe('refused');
  });

  it('is no network that is misspelt', () => {
    expect(() => reachable({ networks: ['10.0.0.0'] })).toThrow('CIDR');
  });
});
