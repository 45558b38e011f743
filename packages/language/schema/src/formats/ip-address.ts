/** Strict is Go's `netip`; sloppy allows leading zeros, as Kubernetes does for old objects. */
export type IpSyntax = 'strict' | 'sloppy';

/** 4 or 6; `undefined` if not an address. Zones (`%eth0`) are not allowed. */
export function ipVersion(text: string, syntax: IpSyntax): 4 | 6 | undefined {
  const first = /[.:]/.exec(text)?.[0];
  if (first === '.') return isV4(text, syntax) ? 4 : undefined;
  return first === ':' && isV6(text, syntax) ? 6 : undefined;
}

export function isIpv4(text: string): boolean {
  // An IPv6 address with an IPv4 ending passes too.
  return ipVersion(text, 'sloppy') !== undefined && text.includes('.');
}

export const isIpv6 = (text: string): boolean => ipVersion(text, 'strict') !== undefined && text.includes(':');

export function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!/^[0-9]+$/.test(length)) return false;
  if (isV4(address, 'sloppy')) return Number(length) <= 32;
  return isV6(address, 'sloppy') && Number(length) <= 128;
}

function isV4(text: string, syntax: IpSyntax): boolean {
  const octets = text.split('.');
  const shape = syntax === 'strict' ? /^(?:0|[1-9][0-9]{0,2})$/ : /^[0-9]+$/;
  return octets.length === 4 && octets.every((octet) => shape.test(octet) && Number(octet) <= 255);
}

function isV6(text: string, syntax: IpSyntax): boolean {
  const gap = text.indexOf('::');
  const halves = gap < 0 ? [text] : [text.slice(0, gap), text.slice(gap + 2)];
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (groups.length === 0) return gap >= 0;
  const last = groups.at(-1) ?? '';
  const endsInV4 = last.includes('.') && text.endsWith(last);
  if (endsInV4 && !isV4(last, syntax)) return false;
  const hexadecimal = endsInV4 ? groups.slice(0, -1) : groups;
  const shape = syntax === 'strict' ? /^[0-9a-f]{1,4}$/i : /^[0-9a-f]+$/i;
  if (!hexadecimal.every((group) => shape.test(group) && Number.parseInt(group, 16) <= 0xffff)) return false;
  const count = hexadecimal.length + (endsInV4 ? 2 : 0);
  return gap < 0 ? count === 8 : count <= 7;
}
