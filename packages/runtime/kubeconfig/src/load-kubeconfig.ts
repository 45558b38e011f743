import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { Clock } from '@hawser/clock';
import type { ConnectionConfig } from './connection.js';
import { type EntryKind, type KubeconfigDocument, isSet, parseDocument } from './document.js';
import { connectionFrom } from './dynamic-connection.js';
import { SERVICE_ACCOUNT_FOLDER, inClusterConnection } from './in-cluster.js';
import { KubeconfigError } from './kubeconfig-error.js';
import { type OwnEntry, source, text, userSources } from './own-user.js';
import { unreadable } from './watched-file.js';

export interface LoadOptions {
  /** The kubeconfig to read. Absent: the default lookup. */
  readonly file?: string | undefined;
  /** Default: the current context. */
  readonly context?: string | undefined;
  /** Environment of the process. Reads KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and _PORT. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Folder with the files of a pod's ServiceAccount. */
  readonly serviceAccountFolder?: string | undefined;
}

/**
 * Loads the connection of the operator's **own** kubeconfig: `file`, else the files of KUBECONFIG, else
 * `~/.kube/config`, else the ServiceAccount of this pod. Merges files like kubectl, and supports everything that
 * kubectl does: files, programs, impersonation, OIDC. Rereads the files that it names and renews tokens; does not
 * reread the kubeconfig itself.
 *
 * For a kubeconfig from a third party use `parseSecretKubeconfig`.
 *
 * @throws KubeconfigError
 */
export async function loadKubeconfig(options: LoadOptions): Promise<ConnectionConfig> {
  const { env, clock } = options;
  const files = await readFiles(options);
  if (files.length > 0) return ownConnection(chosenEntries(files, options.context), clock);
  const connection = await inClusterConnection(env, options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER, clock);
  if (connection !== undefined) return connection;
  throw new KubeconfigError(
    'NotFound',
    'there is no kubeconfig: no file was given, KUBECONFIG names none that exists, there is no ~/.kube/config, and this is not a pod',
  );
}

interface KubeconfigFile {
  readonly folder: string;
  readonly document: KubeconfigDocument;
}

async function readFiles({ file, env }: LoadOptions): Promise<readonly KubeconfigFile[]> {
  if (file !== undefined && file !== '') return [await readKubeconfig(file)];
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  const home = env['HOME'];
  const candidates =
    listed.length > 0 ? listed : home === undefined || home === '' ? [] : [join(home, '.kube', 'config')];
  const found: KubeconfigFile[] = [];
  for (const path of candidates) {
    try {
      found.push(await readKubeconfig(path));
    } catch (error) {
      // Like kubectl, uses the files that exist.
      if (
        !(error instanceof KubeconfigError) ||
        (error.cause as { readonly code?: unknown } | undefined)?.code !== 'ENOENT'
      )
        throw error;
    }
  }
  return found;
}

async function readKubeconfig(path: string): Promise<KubeconfigFile> {
  const content = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const parsed = parseDocument(content, 'own');
  if (!parsed.ok) throw new KubeconfigError('Invalid', `${path}: ${parsed.problem.message}`);
  return { folder: dirname(path), document: parsed.document };
}

/** The parts of one context of a kubeconfig. */
export interface ChosenEntries {
  readonly context: OwnEntry;
  readonly cluster: OwnEntry;
  readonly user: OwnEntry;
}

/** The entries of the selected context; undefined: no kubeconfig exists. @throws KubeconfigError */
export async function readEntries(options: LoadOptions): Promise<ChosenEntries | undefined> {
  const files = await readFiles(options);
  return files.length === 0 ? undefined : chosenEntries(files, options.context);
}

function chosenEntries(files: readonly KubeconfigFile[], contextName: string | undefined): ChosenEntries {
  const current =
    contextName ??
    files.map(({ document }) => document.currentContext).find((name) => typeof name === 'string' && name !== '');
  if (typeof current !== 'string') throw new KubeconfigError('Invalid', 'the kubeconfig has no current-context');
  const context = entry(files, 'context', current);
  return {
    context,
    cluster: entry(files, 'cluster', text(context.fields, 'cluster') ?? ''),
    user: entry(files, 'user', text(context.fields, 'user') ?? ''),
  };
}

function ownConnection({ context, cluster, user }: ChosenEntries, clock: Clock): Promise<ConnectionConfig> {
  const server = text(cluster.fields, 'server');
  if (server === undefined || !['http:', 'https:'].includes(URL.parse(server)?.protocol ?? ''))
    throw new KubeconfigError('Invalid', 'the server of the cluster is not an http or https address');
  const namespace = text(context.fields, 'namespace');
  const tlsServerName = text(cluster.fields, 'tls-server-name');
  const proxyUrl = text(cluster.fields, 'proxy-url');
  const insecure = isSet(cluster.fields, 'insecure-skip-tls-verify');
  return connectionFrom({
    base: {
      server,
      ...(namespace === undefined ? {} : { namespace }),
      ...(tlsServerName === undefined ? {} : { tlsServerName }),
      ...(proxyUrl === undefined ? {} : { proxyUrl }),
      ...(insecure ? { insecureSkipTlsVerify: true } : {}),
    },
    ca: insecure ? undefined : source(cluster, 'certificate-authority', clock),
    ...userSources(user, cluster, clock),
  });
}

/** The first file with an entry of that name wins, as with kubectl. */
function entry(files: readonly KubeconfigFile[], kind: EntryKind, name: string): OwnEntry {
  for (const { document, folder } of files) {
    const [fields] = document.named(kind, name);
    if (fields !== undefined) return { fields, folder };
  }
  throw new KubeconfigError('Invalid', `the kubeconfig has no ${kind} named ${JSON.stringify(name)}`);
}
