import { isIPv6 } from 'node:net';

/**
 * Key for counting a client's requests: its IPv4 address, or the /64 network of its IPv6 line. An IPv4 address in IPv6
 * notation is the same.
 */
export function clientNetwork(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const plain = address.split('%')[0] ?? '';
  if (!isIPv6(plain)) return address;
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): readonly string[] => text.split(':').filter((group) => group !== '');
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const first = [...left, ...zeros, ...right].slice(0, 4);
  return `${first.map((group) => group.replace(/^0+(?=.)/u, '').toLowerCase()).join(':')}::/64`;
}
