import { isAbsolute, join } from 'node:path';
import type { Clock } from '@hawser/clock';
import type { RequestHeaders } from './connection.js';
import { CredentialPlugin } from './credential-plugin.js';
import { type Fields, get, isFields, isSet } from './document.js';
import type { ConnectionSources, CredentialSource, Source } from './dynamic-connection.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { OidcLogin } from './oidc-login.js';
import { decodeBase64 } from './pem.js';
import { WatchedFile } from './watched-file.js';

/** An entry of a kubeconfig, and the folder of its file: the base of relative paths. */
export interface OwnEntry {
  readonly fields: Fields;
  readonly folder: string;
}

/** Reads the operator's own user. Allows everything, like kubectl. */
export function userSources(
  user: OwnEntry,
  cluster: OwnEntry,
  clock: Clock,
): Pick<ConnectionSources, 'cert' | 'key' | 'token' | 'headers' | 'plugin'> {
  const cert = source(user, 'client-certificate', clock);
  const key = source(user, 'client-key', clock);
  if ((cert === undefined) !== (key === undefined))
    throw new KubeconfigError(
      'Invalid',
      'the user of the context has a client certificate without its key, or a key without its certificate',
    );
  // As in client-go, the file wins: it may be renewed.
  const tokenFile = text(user.fields, 'tokenFile');
  return {
    cert,
    key,
    token:
      tokenFile === undefined ? text(user.fields, 'token') : new WatchedFile(absolute(tokenFile, user.folder), clock),
    headers: { ...basicAuthentication(user.fields), ...impersonation(user.fields) },
    plugin: plugin(user, cluster, clock),
  };
}

/** The value under `<key>-data`, or the file named under `key`. */
export function source({ fields, folder }: OwnEntry, key: string, clock: Clock): Source {
  if (isSet(fields, `${key}-data`)) {
    const decoded = decodeBase64(get(fields, `${key}-data`));
    if (decoded === undefined) throw new KubeconfigError('Invalid', `${key}-data is not base64`);
    return decoded;
  }
  const file = text(fields, key);
  return file === undefined ? undefined : new WatchedFile(absolute(file, folder), clock);
}

/** A string that is set; throws for a value of another type. */
export function text(fields: Fields, key: string): string | undefined {
  if (!isSet(fields, key)) return undefined;
  const value = get(fields, key);
  if (typeof value !== 'string') throw new KubeconfigError('Invalid', `${key} is not a string`);
  return value;
}

/** Resolves a path of an entry against the folder of its file. */
export function absolute(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function basicAuthentication(user: Fields): RequestHeaders {
  const name = text(user, 'username');
  return name === undefined
    ? {}
    : { authorization: `Basic ${Buffer.from(`${name}:${text(user, 'password') ?? ''}`).toString('base64')}` };
}

function impersonation(user: Fields): RequestHeaders {
  const headers: Record<string, string | readonly string[]> = {};
  const as = text(user, 'as');
  const uid = text(user, 'as-uid');
  const groups = get(user, 'as-groups');
  const extra = get(user, 'as-user-extra');
  if (as !== undefined) headers['impersonate-user'] = as;
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  if (isStrings(groups)) headers['impersonate-group'] = groups;
  if (isFields(extra)) {
    for (const [key, values] of Object.entries(extra))
      if (isStrings(values)) headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values;
  }
  return headers;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function plugin(user: OwnEntry, cluster: OwnEntry, clock: Clock): CredentialSource | undefined {
  const exec = get(user.fields, 'exec');
  const provider = get(user.fields, 'auth-provider');
  if (isFields(exec)) {
    const command = text(exec, 'command');
    if (command === undefined) throw new KubeconfigError('Invalid', 'exec of the user names no command');
    return new CredentialPlugin(
      execEntry(exec, command, user.folder, cluster.fields),
      `the program ${command} of the kubeconfig`,
      clock,
    );
  }
  if (!isFields(provider)) return undefined;
  if (get(provider, 'name') !== 'oidc') {
    throw new KubeconfigError(
      'Unsupported',
      'the user of the context has an auth-provider other than oidc, which kubectl does not support any more either: use exec',
    );
  }
  const config = get(provider, 'config');
  const fields = isFields(config) ? config : {};
  return new OidcLogin(
    {
      idToken: text(fields, 'id-token'),
      refreshToken: text(fields, 'refresh-token'),
      issuer: text(fields, 'idp-issuer-url'),
      clientId: text(fields, 'client-id'),
      clientSecret: text(fields, 'client-secret'),
      ca: source({ fields, folder: user.folder }, 'idp-certificate-authority', clock),
    },
    clock,
  );
}

/**
 * Completes an `exec` entry: sets the environment variable with the program's input, which client-node omits, and
 * resolves relative commands against the kubeconfig.
 */
function execEntry(exec: Fields, command: string, folder: string, cluster: Fields): Fields {
  const env = get(exec, 'env');
  const info = {
    apiVersion: get(exec, 'apiVersion') ?? 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(get(exec, 'provideClusterInfo') === true ? { cluster: clusterInfo(cluster) } : {}),
    },
  };
  return {
    ...exec,
    command: command.includes('/') ? absolute(command, folder) : command,
    args: get(exec, 'args') ?? [],
    env: [
      ...((Array.isArray(env) ? env : []) as unknown[]),
      { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) },
    ],
  };
}

function clusterInfo(cluster: Fields): Fields {
  return Object.fromEntries(
    ['server', 'tls-server-name', 'insecure-skip-tls-verify', 'certificate-authority-data', 'proxy-url']
      .filter((key) => isSet(cluster, key))
      .map((key) => [key, get(cluster, key)]),
  );
}
