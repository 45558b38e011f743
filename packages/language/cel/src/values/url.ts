import { CelError, noSuchOverload } from './error.js';
import { goQuote } from './ip.js';
import type { OpaqueValue, Value } from './value.js';

/** Why a text is not a URL, with the message of Go's `net/url`. */
class UrlFailure extends Error {}

interface Parts {
  readonly scheme: string;
  /** With the port; unescaped. */
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const splitScheme = (text: string): { scheme: string; rest: string } => {
  const found = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text);
  if (found?.[1] !== undefined) {
    return { scheme: found[1].toLowerCase(), rest: text.slice(found[0].length) };
  }
  if (text.startsWith(':')) {
    throw new UrlFailure('missing protocol scheme');
  }
  return { scheme: '', rest: text };
};

const checkEscapes = (text: string, isHost: boolean): void => {
  for (const found of text.matchAll(/%([^]{0,2})/g)) {
    if (!/^%[0-9a-fA-F]{2}$/.test(found[0])) {
      throw new UrlFailure(`invalid URL escape ${goQuote(found[0])}`);
    }
    if (isHost && /^%[0-7]/.test(found[0]) && found[0] !== '%25') {
      throw new UrlFailure(`invalid URL escape ${goQuote(found[0])}`);
    }
  }
};

const decode = (text: string): string => {
  const bytes: number[] = [];
  const source = Buffer.from(text);
  for (let at = 0; at < source.length; at += 1) {
    if (source[at] === 0x25) {
      bytes.push(Number.parseInt(source.toString('latin1', at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(source[at] ?? 0);
    }
  }
  return Buffer.from(bytes).toString('utf8');
};

const checkPort = (colonPort: string): void => {
  if (!/^(?::\d*)?$/.test(colonPort)) {
    throw new UrlFailure(`invalid port ${goQuote(colonPort)} after host`);
  }
};

const parseHost = (host: string): string => {
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) {
      throw new UrlFailure("missing ']' in host");
    }
    checkPort(host.slice(end + 1));
  } else if (host.includes(':')) {
    checkPort(host.slice(host.lastIndexOf(':')));
  }
  checkEscapes(host, true);
  const bad = /[\u0000-\u0020"<>\\^`{|}\u007f#?@/]/.exec(host);
  if (bad !== null) {
    throw new UrlFailure(`invalid character ${goQuote(bad[0])} in host name`);
  }
  return decode(host);
};

const validUserinfo = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;

const parseAuthority = (authority: string): string => {
  const at = authority.lastIndexOf('@');
  const host = parseHost(authority.slice(at + 1));
  const userinfo = at < 0 ? '' : authority.slice(0, at);
  if (!validUserinfo.test(userinfo)) {
    throw new UrlFailure('net/url: invalid userinfo');
  }
  checkEscapes(userinfo, false);
  return host;
};

/** Go's `url.Parse`, and `url.ParseRequestURI` when `viaRequest`: absolute, and no fragment. */
const parseParts = (raw: string, viaRequest: boolean): Parts => {
  if (/[\u0000-\u001f\u007f]/.test(raw)) {
    throw new UrlFailure('net/url: invalid control character in URL');
  }
  if (raw === '' && viaRequest) {
    throw new UrlFailure('empty url');
  }
  const [text = ''] = viaRequest ? [raw] : raw.split('#', 1);
  if (text === '*') {
    return { scheme: '', host: '', path: '*', query: '' };
  }
  const { scheme, rest: afterScheme } = splitScheme(text);
  const question = afterScheme.indexOf('?');
  const query = question < 0 ? '' : afterScheme.slice(question + 1);
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question);
  if (!rest.startsWith('/')) {
    if (scheme !== '') {
      return { scheme, host: '', path: '', query };
    }
    if (viaRequest) {
      throw new UrlFailure('invalid URI for request');
    }
    if (rest.split('/', 1)[0]?.includes(':') === true) {
      throw new UrlFailure('first path segment in URL cannot contain colon');
    }
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || (!viaRequest && !rest.startsWith('///')));
  const slash = hasAuthority ? rest.indexOf('/', 2) : 0;
  const authority = hasAuthority ? rest.slice(2, slash < 0 ? undefined : slash) : '';
  const path = slash < 0 ? '' : rest.slice(slash);
  const host = hasAuthority ? parseAuthority(authority) : '';
  checkEscapes(path, false);
  return { scheme, host, path, query };
};

/** Characters allowed unescaped in a path. */
const validPath = /^(?:[A-Za-z0-9\-_.~$&+,/:;=@!'()*[\]]|%[0-9a-fA-F]{2})*$/;

const escapePath = (path: string): string =>
  Array.from(Buffer.from(decode(path)), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');

const decodeQuery = (text: string): string | undefined =>
  /%(?![0-9a-fA-F]{2})/.test(text) ? undefined : decode(text.replaceAll('+', ' '));

/** An absolute URL. */
export class Url implements OpaqueValue {
  readonly typeName = 'kubernetes.URL';

  private constructor(
    private readonly parts: Parts,
    private readonly text: string,
  ) {}

  /** @throws {CelError} */
  static parse(text: string): Url {
    const failure = Url.failure(text, true) ?? Url.failure(text, false);
    if (failure !== undefined) {
      throw new CelError(`URL parse error during conversion from string: ${failure}`);
    }
    return new Url(parseParts(text, false), text);
  }

  /** Why the text is not an absolute URL; undefined if it is. */
  static requestFailure(text: string): string | undefined {
    return Url.failure(text, true);
  }

  private static failure(text: string, viaRequest: boolean): string | undefined {
    try {
      parseParts(text, viaRequest);
      return undefined;
    } catch (error) {
      if (error instanceof UrlFailure) {
        return `parse ${goQuote(text)}: ${error.message}`;
      }
      throw error;
    }
  }

  equals(other: Value): boolean {
    if (!(other instanceof Url)) {
      throw noSuchOverload();
    }
    return this.text === other.text;
  }

  get scheme(): string {
    return this.parts.scheme;
  }

  get host(): string {
    return this.parts.host;
  }

  get hostname(): string {
    const { host } = this.parts;
    return host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '');
  }

  get port(): string {
    return /:(\d*)$/.exec(this.parts.host.replace(/^\[.*\]/, ''))?.[1] ?? '';
  }

  get escapedPath(): string {
    const { path } = this.parts;
    return validPath.test(path) ? path : path === '*' ? '*' : escapePath(path);
  }

  /** Values by name. Leaves out a pair that cannot be decoded, or that contains a semicolon. */
  get query(): ReadonlyMap<string, readonly string[]> {
    const values = new Map<string, string[]>();
    for (const piece of this.parts.query.split('&').filter((text) => text !== '' && !text.includes(';'))) {
      const equals = piece.indexOf('=');
      const name = decodeQuery(equals < 0 ? piece : piece.slice(0, equals));
      const value = decodeQuery(equals < 0 ? '' : piece.slice(equals + 1));
      if (name !== undefined && value !== undefined) {
        values.set(name, [...(values.get(name) ?? []), value]);
      }
    }
    return values;
  }
}
