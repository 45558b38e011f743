import { fromBytes, toBytes } from '../values/bytes.js';

/** Parts of a URL, as Go's `net/url` splits it. */
export interface ParsedUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly userinfo: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly fragment: string;
}

const fail = (what: string): never => {
  throw new Error(`unable to parse url: ${what}`);
};

/** Throws if Go refuses it. */
export function parseUrl(text: string): ParsedUrl {
  const hash = text.indexOf('#');
  const before = hash < 0 ? text : text.slice(0, hash);
  const fragment = hash < 0 ? '' : unescapePart(text.slice(hash + 1));

  if (/[\0-\x1f\x7f]/u.test(before)) fail('invalid control character');
  if (before === '*') return { scheme: '', opaque: '', userinfo: '', host: '', path: '*', query: '', fragment };
  const [scheme, afterScheme] = splitScheme(before);
  const question = afterScheme.indexOf('?');
  const query = question < 0 ? '' : afterScheme.slice(question + 1);
  let rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  const none = { scheme, opaque: '', userinfo: '', host: '', query, fragment };
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...none, opaque: rest, path: '' };
    if (/^[^/]*:/u.test(rest)) fail('first path segment cannot contain colon');
  }
  let [userinfo, host] = ['', ''];
  if ((scheme !== '' || !rest.startsWith('///')) && rest.startsWith('//')) {
    const slash = rest.indexOf('/', 2);
    [userinfo, host] = splitAuthority(rest.slice(2, slash < 0 ? undefined : slash));
    rest = slash < 0 ? '' : rest.slice(slash);
  }
  return { ...none, userinfo, host, path: unescapePart(rest) };
}

function splitScheme(text: string): [string, string] {
  const colon = /^[a-zA-Z][a-zA-Z0-9+.-]*:/u.exec(text);
  if (colon !== null) return [colon[0].slice(0, -1).toLowerCase(), text.slice(colon[0].length)];
  if (text.startsWith(':')) fail('missing protocol scheme');
  return ['', text];
}

function splitAuthority(authority: string): [string, string] {
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  if (host.startsWith('[')) {
    const close = host.lastIndexOf(']');
    if (close < 0) fail("missing ']' in host");
    if (!/^(?::[0-9]*)?$/u.test(host.slice(close + 1))) fail('invalid port after host');
  } else if (host.includes(':') && !/:[0-9]*$/u.test(host)) fail('invalid port after host');
  if (/%(?![0-9a-fA-F]{2})/u.test(host)) fail('invalid URL escape in host');

  if (/[\0- "\\^`{|}\x7f]|<|>/u.test(host.replace(/[<>"]/gu, ''))) fail('invalid character in host name');
  const decoded = /%[0-7]/u.test(host) ? fail('invalid URL escape in host') : unescapePart(host);
  if (at < 0) return ['', decoded];
  const userinfo = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/u.test(userinfo)) fail('invalid userinfo');
  const colon = userinfo.indexOf(':');
  const user = escapeUser(unescapePart(colon < 0 ? userinfo : userinfo.slice(0, colon)));
  return [colon < 0 ? user : `${user}:${escapeUser(unescapePart(userinfo.slice(colon + 1)))}`, decoded];
}

/** The host without its port. */
export function hostname(host: string): string {
  const withoutPort = host.replace(/:[0-9]*$/u, '');
  if (host.startsWith('[')) return host.slice(1, host.lastIndexOf(']'));
  return withoutPort;
}

function unescapePart(text: string): string {
  if (!text.includes('%')) return text;
  if (/%(?![0-9a-fA-F]{2})/u.test(text)) fail('invalid URL escape');
  const bytes = toBytes(text);
  const result: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0x25) result.push(bytes[index] ?? 0);
    else {
      result.push(Number.parseInt(bytes.toString('latin1', index + 1, index + 3), 16));
      index += 2;
    }
  }
  return fromBytes(Uint8Array.from(result));
}

function escapeWith(text: string, kept: RegExp): string {
  let result = '';
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    result += byte < 0x80 && kept.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

const escapeUser = (text: string): string => escapeWith(text, /[A-Za-z0-9\-_.~$&+,;=]/u);

/** A URL from its parts, as Go writes it. */
export function joinUrl(url: ParsedUrl): string {
  let result = url.scheme === '' ? '' : `${url.scheme}:`;
  if (url.opaque !== '') result += url.opaque;
  else {
    if (url.scheme !== '' || url.host !== '' || url.userinfo !== '') {
      if (url.host !== '' || url.path !== '' || url.userinfo !== '') result += '//';
      if (url.userinfo !== '') result += `${url.userinfo}@`;
      if (url.host !== '') result += escapeHost(url.host);
    }
    const path = url.path === '*' ? '*' : escapeWith(url.path, /[A-Za-z0-9\-_.~$&+,/:;=@]/u);
    if (path !== '' && !path.startsWith('/') && url.host !== '') result += '/';
    // A first segment with a colon would read as a scheme.
    if (result === '' && path.split('/', 1)[0]?.includes(':') === true) result += './';
    result += path;
  }
  if (url.query !== '') result += `?${url.query}`;
  return url.fragment === '' ? result : `${result}#${escapeWith(url.fragment, /[A-Za-z0-9\-_.~$&+,/:;=?@!()*]/u)}`;
}

const escapeHost = (host: string): string => escapeWith(host, /[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"]/u);
