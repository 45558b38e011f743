import type { Terminal } from '@hawser/commands';
import { ConfigError, type Flag, type ParsedFlags } from '@hawser/config';
import { forgetToken, keepToken, refreshTokenOf, tokenOf } from './kept-token.js';
import { type PortalAccess, PortalApi } from './portal-api.js';
import {
  type ServerEntry,
  changeServerFile,
  defaultServerFile,
  keyOfServer,
  loginAgain,
  readServerFile,
} from './server-file.js';

/** Flags of every command that talks to a portal. */
export const serverFlags: readonly Flag[] = [
  {
    name: 'server',
    kind: 'string',
    help: 'address of the portal, or ADDRESS@CLUSTER; empty: the one of the last login',
  },
  { name: 'cluster', kind: 'string', help: 'kcp: logical cluster of the backend' },
  { name: 'config-file', kind: 'string', help: 'file with the logins; empty: .kube-bind/config in the home folder' },
  {
    name: 'insecure-skip-tls-verify',
    kind: 'boolean',
    help: 'do not check who the portal is: what is sent, tokens included, can be read by others',
  },
  {
    name: 'server-ca',
    kind: 'string',
    help: 'PEM file with the authorities that the certificate of the portal is from, besides those of the platform',
  },
  { name: 'v', short: 'v', kind: 'string', help: 'accepted for compatibility' },
];

/**
 * The address of a portal.
 * @throws ConfigError for anything else
 */
export function addressOf(text: string): string {
  const url = URL.parse(text);
  if (
    url === null ||
    (url.protocol !== 'https:' && url.protocol !== 'http:') ||
    url.username !== '' ||
    url.password !== ''
  )
    throw new ConfigError(
      `the server must be an address that begins with https:// or http://, without a user${text.includes('@') ? '' : `: "${text}"`}`,
    );
  return `${url.origin}${url.pathname.replace(/(?:\/api\/exports)?\/*$/u, '')}`;
}

/**
 * The server from the argument, the flags, or the current one.
 * @throws ConfigError
 */
export function askedServer(
  { values }: ParsedFlags,
  argument?: string,
): Pick<ServerEntry, 'url' | 'cluster'> | undefined {
  const flag = values.get('server');
  if (argument !== undefined && flag !== undefined && argument !== flag)
    throw new ConfigError(`two servers are given: ${argument} and --server ${flag}`);
  const given = argument ?? flag;
  const cluster = values.get('cluster');
  if (given === undefined) {
    if (cluster !== undefined) throw new ConfigError('--cluster: needs --server');
    return undefined;
  }
  // An `@` that ends a user in front of the host is not ours; `addressOf` refuses it.
  const at = given.lastIndexOf('@');
  const isCluster = at > given.indexOf('//') + 2 && !given.slice(at).includes('/') && !given.slice(at).includes('.');
  if (!isCluster) return { url: addressOf(given), cluster };
  if (cluster !== undefined) throw new ConfigError('--cluster: the server names a cluster already, behind the @');
  return { url: addressOf(given.slice(0, at)), cluster: given.slice(at + 1) };
}

/** File of the logins. */
export function serverFileOf({ values }: ParsedFlags): string {
  return values.get('config-file') ?? defaultServerFile();
}

/** How to reach a server with these flags. */
export function accessTo(
  { values }: ParsedFlags,
  { url, cluster }: Pick<ServerEntry, 'url' | 'cluster'>,
  token?: string,
): PortalAccess {
  return {
    url,
    cluster,
    token,
    insecureSkipTlsVerify: values.get('insecure-skip-tls-verify') === 'true',
    caFile: values.get('server-ca'),
  };
}

/**
 * The server of a login.
 * @throws ConfigError for an unknown server, or a login that ended and cannot be renewed
 * @throws PortalError if it cannot be renewed now
 */
export async function loggedIn(parsed: ParsedFlags, env: Terminal['env'], argument?: string): Promise<PortalAccess> {
  const file = await readServerFile(serverFileOf(parsed));
  const asked = askedServer(parsed, argument);
  const key = asked === undefined ? file.current : keyOfServer(asked);
  if (key === undefined || key === '') throw new ConfigError('log in first: kubectl bind login ADDRESS');
  const entry = file.servers[key];
  if (entry === undefined)
    throw new ConfigError(`there is no login for ${key}. Log in first: ${loginAgain(asked ?? { url: key })}`);
  const token = await renewedToken(parsed, key, env);
  if (entry.keyring === true && !hasEnded(entry) && token === undefined)
    throw new ConfigError(
      `the keyring does not give the login at ${entry.url}. Unlock the keyring, or log in again: ${loginAgain(entry)}`,
    );
  if (token === undefined || token === '')
    throw new ConfigError(`the login at ${entry.url} has ended. Log in again: ${loginAgain(entry)}`);
  return accessTo(parsed, entry, token);
}

/**
 * The token of a known login; renews an expired one if possible.
 * @throws PortalError if it cannot be renewed now
 */
export async function renewedToken(
  parsed: ParsedFlags,
  key: string,
  env: Terminal['env'],
): Promise<string | undefined> {
  let token: string | undefined;
  const path = serverFileOf(parsed);
  const known = (await readServerFile(path)).servers[key];
  if (known === undefined) return undefined;
  if (!hasEnded(known)) return tokenOf(key, known, env);
  if ((await refreshTokenOf(key, known, env)) === undefined) return undefined;
  // One process at a time: a refresh token is valid for one renewal.
  await changeServerFile(path, async (file) => {
    const entry = file.servers[key];
    if (entry === undefined) return file;
    if (!hasEnded(entry)) {
      token = await tokenOf(key, entry, env);
      return file;
    }
    const refreshToken = await refreshTokenOf(key, entry, env);
    const renewed =
      refreshToken === undefined
        ? undefined
        : await withPortal(accessTo(parsed, entry), (portal) => portal.renew(refreshToken));
    if (renewed === undefined) {
      await forgetToken(key, env);
      return { ...file, servers: { ...file.servers, [key]: { ...entry, refreshToken: undefined } } };
    }
    token = renewed.access_token;
    const { kept } = await keepToken(key, renewed, env, entry.keyring === true);
    return { ...file, servers: { ...file.servers, [key]: { ...entry, ...kept } } };
  });
  return token;
}

/** The Go plugin writes the year 1 for an unknown time. */
function hasEnded({ expiresAt }: ServerEntry): boolean {
  const at = Date.parse(expiresAt ?? '');
  return !Number.isNaN(at) && at > 0 && at <= Date.now();
}

/** Opens the portal for `work` and closes it afterwards. */
export async function withPortal<T>(access: PortalAccess, work: (portal: PortalApi) => Promise<T>): Promise<T> {
  const portal = new PortalApi(access);
  try {
    return await work(portal);
  } finally {
    await portal.close();
  }
}
