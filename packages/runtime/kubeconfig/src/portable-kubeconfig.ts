import { readFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { isSet } from './document.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { type LoadOptions, readEntries } from './load-kubeconfig.js';
import { type OwnEntry, absolute, text } from './own-user.js';
import { unreadable } from './watched-file.js';

/** Fields that tie a user to this machine. */
const NOT_PORTABLE: readonly { readonly keys: readonly string[]; readonly why: string }[] = [
  { keys: ['exec'], why: 'runs a program to get credentials (exec)' },
  { keys: ['auth-provider'], why: 'gets credentials from an auth-provider' },
  { keys: ['as', 'as-uid', 'as-groups', 'as-user-extra'], why: 'impersonates another user' },
  { keys: ['username', 'password'], why: 'has a name and password' },
];

/**
 * Converts one context of the operator's **own** kubeconfig for a Secret: YAML with one entry of each kind, named
 * `default` (spec/kube-bind-backend.md §6.1), and with the content of the files that it names. The result holds a
 * credential.
 *
 * @throws KubeconfigError if that is impossible: it needs a program, a login service or another user's name, or a file
 * is unreadable
 */
export async function portableKubeconfig(options: LoadOptions): Promise<string> {
  const entries = await readEntries(options);
  if (entries === undefined) throw new KubeconfigError('NotFound', 'there is no kubeconfig');
  const { context, cluster, user } = entries;
  const reason = NOT_PORTABLE.find(({ keys }) => keys.some((key) => isSet(user.fields, key)));
  if (reason !== undefined)
    throw new KubeconfigError(
      'Unsupported',
      `the user of the context ${reason.why}: a kubeconfig for another cluster needs a token, or a client certificate and key`,
    );
  const tokenFile = text(user.fields, 'tokenFile');
  const token =
    tokenFile === undefined
      ? text(user.fields, 'token')
      : (await content(absolute(tokenFile, user.folder))).toString('utf8').trim();
  const certificate = await inline(user, 'client-certificate');
  const key = await inline(user, 'client-key');
  if (token === undefined && (certificate === undefined || key === undefined))
    throw new KubeconfigError(
      'NoCredentials',
      'the user of the context has neither a token nor a client certificate and key',
    );
  const kept = ({ fields }: OwnEntry, keys: readonly string[]): Readonly<Record<string, unknown>> =>
    Object.fromEntries(keys.filter((name) => isSet(fields, name)).map((name) => [name, fields[name]]));
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'default',
          cluster: {
            ...kept(cluster, ['server', 'tls-server-name', 'proxy-url', 'insecure-skip-tls-verify']),
            ...named('certificate-authority-data', await inline(cluster, 'certificate-authority')),
          },
        },
      ],
      users: [
        {
          name: 'default',
          user: {
            ...named('token', token),
            ...named('client-certificate-data', certificate),
            ...named('client-key-data', key),
          },
        },
      ],
      contexts: [
        { name: 'default', context: { cluster: 'default', user: 'default', ...kept(context, ['namespace']) } },
      ],
      'current-context': 'default',
    },
    { lineWidth: 0 },
  );
}

function named(name: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [name]: value };
}

/** Base64: the value of `<key>-data`, or the content of the file under `key`. */
async function inline(entry: OwnEntry, key: string): Promise<string | undefined> {
  const data = text(entry.fields, `${key}-data`);
  if (data !== undefined) return data;
  const file = text(entry.fields, key);
  return file === undefined ? undefined : (await content(absolute(file, entry.folder))).toString('base64');
}

function content(path: string): Promise<Buffer> {
  return readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
}
