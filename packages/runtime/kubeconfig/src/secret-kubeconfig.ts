import type { ConnectionConfig, Credentials } from './connection.js';
import { type EntryKind, type Fields, type KubeconfigDocument, get, isSet, parseDocument } from './document.js';
import { decodeBase64, isKeyPair, readCertificates } from './pem.js';
import type { KubeconfigProblem, KubeconfigProblemCode } from './problem.js';

/** The operator's flags: what a kubeconfig from a Secret may contain beyond the safe minimum. */
export interface KubeconfigPolicy {
  /** Connect without verifying the server. Default false. */
  readonly allowInsecureSkipTlsVerify?: boolean | undefined;
  /** Connect through the proxy of the kubeconfig. Default false. */
  readonly allowProxyUrl?: boolean | undefined;
  /** Namespace if the context names none. Absent: a context without namespace is a problem. */
  readonly defaultNamespace?: string | undefined;
}

export type SecretKubeconfig =
  | {
      readonly ok: true;
      readonly connection: ConnectionConfig;
      /** Namespace of the current context; never empty. */
      readonly namespace: string;
    }
  /** All defects, at least one. */
  | { readonly ok: false; readonly problems: readonly KubeconfigProblem[] };

/**
 * Parses a kubeconfig from a Secret, written by a third party. Reads only its current context, and accepts only what
 * cannot run a program, read a file or weaken the connection. Accepts an https server, an inline certificate authority
 * (absent: the system's), an inline token or certificate and key, and a TLS server name. By `policy` also a proxy, and
 * an unverified server.
 *
 * Never throws, whatever the input. Problems never quote the input, so they may go into conditions and events.
 */
export function parseSecretKubeconfig(input: string | Uint8Array, policy: KubeconfigPolicy = {}): SecretKubeconfig {
  const parsed = parseDocument(input, 'untrusted');
  if (!parsed.ok) return { ok: false, problems: [parsed.problem] };
  const problems: KubeconfigProblem[] = [];
  const report: Report = (code, message) => {
    problems.push({ code, message });
  };
  const context = currentContext(parsed.document, report);
  if (context === undefined) return { ok: false, problems };
  const namespace = readNamespace(context, policy, report);
  const cluster = referenced(parsed.document, context, 'cluster', report);
  const user = referenced(parsed.document, context, 'user', report);
  const endpoint = cluster === undefined ? undefined : readCluster(cluster, policy, report);
  const credentials = user === undefined ? undefined : readUser(user, report);
  if (problems.length > 0 || namespace === undefined || endpoint === undefined || credentials === undefined)
    return { ok: false, problems };
  return { ok: true, connection: { ...endpoint, credentials, namespace }, namespace };
}

type Report = (code: KubeconfigProblemCode, message: string) => void;

function currentContext(document: KubeconfigDocument, report: Report): Fields | undefined {
  const name = document.currentContext;
  if (typeof name !== 'string' || name === '') {
    report('NoCurrentContext', 'The kubeconfig has no current-context. Set it to the context to use.');
    return undefined;
  }
  return single(
    document.named('context', name),
    'context',
    () => {
      report(
        'ContextMissing',
        'The current-context names a context that is not in the kubeconfig. Add the context, or name one that is there.',
      );
    },
    report,
  );
}

function referenced(
  document: KubeconfigDocument,
  context: Fields,
  kind: 'cluster' | 'user',
  report: Report,
): Fields | undefined {
  const name = get(context, kind);
  const code = kind === 'cluster' ? 'ClusterMissing' : 'UserMissing';
  if (typeof name !== 'string' || name === '') {
    report(code, `The current context names no ${kind}. Name the ${kind} to use.`);
    return undefined;
  }
  return single(
    document.named(kind, name),
    kind,
    () => {
      report(
        code,
        `The current context names a ${kind} that is not in the kubeconfig. Add the ${kind}, or name one that is there.`,
      );
    },
    report,
  );
}

function single(found: readonly Fields[], kind: EntryKind, onMissing: () => void, report: Report): Fields | undefined {
  if (found.length > 1) {
    report('DuplicateName', `The kubeconfig has more than one ${kind} of the name that is meant. Remove all but one.`);
    return undefined;
  }
  if (found[0] === undefined) onMissing();
  return found[0];
}

function readNamespace(context: Fields, { defaultNamespace }: KubeconfigPolicy, report: Report): string | undefined {
  const namespace = get(context, 'namespace');
  if (!isSet(context, 'namespace')) {
    if (defaultNamespace !== undefined) return defaultNamespace;
    report(
      'NamespaceMissing',
      'The current context has no namespace. Set it to the namespace that the provider has assigned.',
    );
    return undefined;
  }
  if (typeof namespace === 'string' && /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u.test(namespace)) return namespace;
  report(
    'NamespaceInvalid',
    'The namespace of the current context is not a name that a namespace can have. Set it to the namespace that the provider has assigned.',
  );
  return undefined;
}

type Endpoint = Pick<ConnectionConfig, 'server' | 'caData' | 'tlsServerName' | 'insecureSkipTlsVerify' | 'proxyUrl'>;

function readCluster(cluster: Fields, policy: KubeconfigPolicy, report: Report): Endpoint | undefined {
  const server = readServer(cluster, report);
  if (isSet(cluster, 'certificate-authority')) {
    report(
      'FileReference',
      'The cluster names a file (certificate-authority). A kubeconfig from a Secret must not: put the certificate into certificate-authority-data.',
    );
  }
  const insecure = isSet(cluster, 'insecure-skip-tls-verify');
  if (insecure && policy.allowInsecureSkipTlsVerify !== true) {
    report(
      'InsecureSkipTlsVerify',
      'The cluster asks not to verify the server (insecure-skip-tls-verify). Put the certificate authority into certificate-authority-data instead; or the operator has to allow it.',
    );
  }
  const caData = readAuthority(cluster, report);
  const tlsServerName = readServerName(cluster, report);
  const proxyUrl = readProxyUrl(cluster, policy, report);
  if (server === undefined) return undefined;
  return {
    server,
    ...(insecure ? { insecureSkipTlsVerify: true } : caData === undefined ? {} : { caData }),
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

function readServer(cluster: Fields, report: Report): string | undefined {
  const server = get(cluster, 'server');
  const hint = 'Set it to the https address of the API server.';
  if (typeof server !== 'string' || server === '') {
    report('ServerMissing', `The cluster has no server. ${hint}`);
    return undefined;
  }
  const url = URL.parse(server);
  if (url?.protocol === 'http:' || (url === null && !server.includes('://'))) {
    report(
      'ServerNotHttps',
      `The server of the cluster is not an https address, so the credentials would travel in the open. ${hint}`,
    );
    // The URL parser also finds a host in `https:`, `https:/.` and `https:\\` forms.
  } else if (
    url?.protocol !== 'https:' ||
    !/^https:\/\/[^/\\]/iu.test(server) ||
    url.username !== '' ||
    url.password !== '' ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    report(
      'ServerInvalid',
      `The server of the cluster is not a plain https address: no user, password, query or fragment may stand in it. ${hint}`,
    );
  } else {
    return server;
  }
  return undefined;
}

function readAuthority(cluster: Fields, report: Report): string | undefined {
  if (!isSet(cluster, 'certificate-authority-data')) return undefined;
  const pem = decodeBase64(get(cluster, 'certificate-authority-data'));
  if (pem !== undefined && readCertificates(pem).length > 0) return pem;
  report(
    'CertificateAuthorityInvalid',
    'The certificate-authority-data of the cluster is not the base64 of PEM certificates. Put the certificate authority of the API server there.',
  );
  return undefined;
}

function readServerName(cluster: Fields, report: Report): string | undefined {
  if (!isSet(cluster, 'tls-server-name')) return undefined;
  const name = get(cluster, 'tls-server-name');
  if (typeof name === 'string' && /^[A-Za-z0-9_.:-]{1,253}$/u.test(name)) return name;
  report(
    'TlsServerNameInvalid',
    'The tls-server-name of the cluster is not the name of a host. Set it to the name in the certificate of the API server.',
  );
  return undefined;
}

function readProxyUrl(cluster: Fields, policy: KubeconfigPolicy, report: Report): string | undefined {
  if (!isSet(cluster, 'proxy-url')) return undefined;
  if (policy.allowProxyUrl !== true) {
    report('ProxyUrl', 'The cluster names a proxy (proxy-url). Leave it out; or the operator has to allow it.');
    return undefined;
  }
  const proxy = get(cluster, 'proxy-url');
  if (typeof proxy === 'string' && ['http:', 'https:', 'socks5:'].includes(URL.parse(proxy)?.protocol ?? ''))
    return proxy;
  report('ProxyUrlInvalid', 'The proxy-url of the cluster is not an http, https or socks5 address.');
  return undefined;
}

/** Fields that a user from a Secret must not have, and the remedy. */
const REFUSED: readonly {
  readonly keys: readonly string[];
  readonly code: KubeconfigProblemCode;
  readonly message: (key: string) => string;
}[] = [
  {
    keys: ['exec'],
    code: 'Exec',
    message: () =>
      'The user runs a program to get credentials (exec). A kubeconfig from a Secret must not: put a token, or a client certificate and key, into it.',
  },
  {
    keys: ['auth-provider'],
    code: 'AuthProvider',
    message: () =>
      'The user gets credentials from an auth-provider. A kubeconfig from a Secret must not: put a token, or a client certificate and key, into it.',
  },
  {
    keys: ['client-certificate', 'client-key', 'tokenFile', 'token-file'],
    code: 'FileReference',
    message: (key) =>
      `The user names a file (${key}). A kubeconfig from a Secret must not: put the content into it (token, client-certificate-data, client-key-data).`,
  },
  {
    keys: ['as', 'as-uid', 'as-groups', 'as-user-extra'],
    code: 'Impersonation',
    message: (key) =>
      `The user impersonates another one (${key}). A kubeconfig from a Secret must not: put credentials of whom is meant into it.`,
  },
  {
    keys: ['username', 'password'],
    code: 'BasicAuth',
    message: (key) =>
      `The user has a name and password (${key}), which API servers do not take. Put a token, or a client certificate and key, into it.`,
  },
];

function readUser(user: Fields, report: Report): Credentials | undefined {
  let refused = false;
  for (const { keys, code, message } of REFUSED) {
    const key = keys.find((candidate) => isSet(user, candidate));
    if (key === undefined) continue;
    report(code, message(key));
    refused = true;
  }
  const token = readToken(user, report);
  const pair = readKeyPair(user, report);
  if (token === undefined && pair === undefined) {
    if (!refused && !['token', 'client-certificate-data', 'client-key-data'].some((key) => isSet(user, key))) {
      report(
        'CredentialsMissing',
        'The user has no credentials. Put a token, or a client certificate and key, into it.',
      );
    }
    return undefined;
  }
  if (pair === undefined) return token === undefined ? undefined : { kind: 'token', token };
  if (token === undefined) return { kind: 'certificate', ...pair };
  const headers = { authorization: `Bearer ${token}` };
  return { kind: 'dynamic', headers: () => Promise.resolve(headers), ...pair };
}

function readToken(user: Fields, report: Report): string | undefined {
  if (!isSet(user, 'token')) return undefined;
  const token = get(user, 'token');
  // Other characters make an invalid header, or a second one.
  if (typeof token === 'string' && /^[\u0021-\u007e]+$/u.test(token.trim())) return token.trim();
  report('CredentialsInvalid', 'The token of the user is not a token. Put the token there as it was issued.');
  return undefined;
}

function readKeyPair(user: Fields, report: Report): { readonly cert: string; readonly key: string } | undefined {
  const wanted = ['client-certificate-data', 'client-key-data'].filter((key) => isSet(user, key));
  if (wanted.length === 0) return undefined;
  const cert = decodeBase64(get(user, 'client-certificate-data'));
  const key = decodeBase64(get(user, 'client-key-data'));
  if (wanted.length === 2 && cert !== undefined && key !== undefined && isKeyPair(cert, key)) return { cert, key };
  report(
    'CredentialsInvalid',
    'The client-certificate-data and client-key-data of the user are not the base64 of a PEM certificate and its private key. Put both there as they were issued.',
  );
  return undefined;
}
