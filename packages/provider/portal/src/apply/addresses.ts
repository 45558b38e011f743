import { BlockList, isIP } from 'node:net';

type Family = 'ipv4' | 'ipv6';

/**
 * Addresses that never lead to a consumer cluster: this machine, the link, and metadata services with machine
 * credentials.
 */
const NEVER = listOf([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Metadata services outside of the link-local network.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // Addresses that embed others.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
]);
const LOOPBACK = listOf(['127.0.0.0/8', '::1/128']);
/** `::` and IPv4 addresses in the former notation. */
const COMPATIBLE = listOf(['::/96']);
/** Not reachable over the internet. */
const PRIVATE = listOf([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
]);

/** Kind of an address as a connection target. Closed. */
export type AddressKind = 'never' | 'loopback' | 'private' | 'public';

/**
 * Classifies an address. Pure. An IPv6 address with an embedded IPv4 one counts as that one. An invalid address is
 * `never`.
 */
export function kindOfAddress(address: string): AddressKind {
  const plain = unmapped(address);
  const family = familyOf(plain);
  if (family === undefined || NEVER.check(plain, family)) return 'never';
  if (LOOPBACK.check(plain, family)) return 'loopback';
  if (COMPATIBLE.check(plain, family)) return 'never';
  return PRIVATE.check(plain, family) ? 'private' : 'public';
}

/** Returns a check whether an address is in one of the networks, in CIDR notation. */
export function networks(cidrs: readonly string[]): (address: string) => boolean {
  const list = listOf(cidrs);
  return (address) => {
    const plain = unmapped(address);
    const family = familyOf(plain);
    return family !== undefined && list.check(plain, family);
  };
}

/** Removes brackets, and turns an IPv6 address with an embedded IPv4 one into that one. */
export function unmapped(address: string): string {
  const text = address.replace(/^\[|\]$/gu, '');
  const hex = /^(?:0{1,4}:){5}ffff:([\da-f]{1,4}):([\da-f]{1,4})$|^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/iu.exec(text);
  if (hex !== null) {
    const [high, low] = [hex[1] ?? hex[3] ?? '', hex[2] ?? hex[4] ?? ''].map((part) => Number.parseInt(part, 16));
    return [(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255].join('.');
  }
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(text)?.[1] ?? text;
}

function familyOf(address: string): Family | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}

/** @throws {RangeError} for an invalid network */
function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    const family = familyOf(address);
    if (family === undefined || bits === undefined || !/^\d{1,3}$/u.test(bits))
      throw new RangeError(`${cidr}: is not a network in CIDR notation`);
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
