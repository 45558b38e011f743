import { ipVersion } from './ip-address.js';

const HOST_CHARS = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"\u0080-\u{10ffff}]*$/u;
const USERINFO = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
const ESCAPES = /^(?:[^%]|%[0-9a-fA-F]{2})*$/;
/** A host may escape only non-ASCII bytes and the percent sign. */
const HOST_ESCAPES = /^(?:[^%]|%[89a-fA-F][0-9a-fA-F]|%25)*$/;

/** An absolute URI or an absolute path, as Go's `url.ParseRequestURI` accepts it. */
export function isRequestUri(text: string): boolean {
  if (text === '' || /[\x00-\x1f\x7f]/.test(text)) return false;
  if (text === '*') return true;
  if (text.startsWith(':')) return false;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  const [hierarchy = ''] = (scheme === undefined ? text : text.slice(scheme.length + 1)).split('?', 1);
  // Without a slash, anything may follow a scheme (`mailto:someone`).
  if (!hierarchy.startsWith('/')) return scheme !== undefined;
  if (scheme === undefined || !hierarchy.startsWith('//')) return ESCAPES.test(hierarchy);
  const slash = hierarchy.indexOf('/', 2);
  const authority = slash < 0 ? hierarchy.slice(2) : hierarchy.slice(2, slash);
  return isAuthority(scheme.toLowerCase(), authority) && (slash < 0 || ESCAPES.test(hierarchy.slice(slash)));
}

function isAuthority(scheme: string, authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const userinfo = authority.slice(0, Math.max(at, 0));
  return isHost(scheme, authority.slice(at + 1)) && USERINFO.test(userinfo) && ESCAPES.test(userinfo);
}

function isHost(scheme: string, host: string): boolean {
  const open = host.lastIndexOf('[');
  if (open > 0) return false;
  if (open === 0) return isIpLiteral(host);
  const first = host.indexOf(':');
  if (first >= 0) {
    const strict = scheme === 'http' || scheme === 'https';
    if (!isPort(host.slice(strict ? first : host.lastIndexOf(':')))) return false;
  }
  return isHostText(host);
}

/** `[fe80::1%25eth0]:80` */
function isIpLiteral(host: string): boolean {
  const close = host.lastIndexOf(']');
  if (close < 0 || !isPort(host.slice(close + 1))) return false;
  const inside = host.slice(1, close);
  const zone = inside.indexOf('%25');
  const address = zone < 0 ? inside : inside.slice(0, zone);
  if (!isHostText(address) || ipVersion(address, 'strict') !== 6) return false;
  return zone < 0 || isZone(inside.slice(zone + 3));
}

function isZone(zone: string): boolean {
  if (zone === '' || !ESCAPES.test(zone)) return false;
  const plain = zone.replaceAll(/%([0-9a-fA-F]{2})/g, (escape, code: string) =>
    escape === '%25' || escape === '%20' ? '' : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return HOST_CHARS.test(plain);
}

const isHostText = (text: string): boolean =>
  HOST_ESCAPES.test(text) && HOST_CHARS.test(text.replaceAll(/%[0-9a-fA-F]{2}/g, ''));

const isPort = (text: string): boolean => /^(?::[0-9]*)?$/.test(text);
