import { readFile } from 'node:fs/promises';
import { type Client, type UnstructuredObject, isForbidden, isNotFound } from '@hawser/client';
import type { Terminal } from '@hawser/commands';
import { ConfigError, type Flag, type ParsedFlags } from '@hawser/config';
import { resources } from '@hawser/kube-bind';
import { isLoopback } from './loopback.js';
import { PortalError } from './portal-api.js';

/** Flags for the token that proves this cluster, if the provider requires one. */
export const proofFlags: readonly Flag[] = [
  {
    name: 'cluster-token-file',
    kind: 'string',
    help: 'file with a ServiceAccount token of this cluster for the portal; empty: one is made where the provider wants it',
  },
  {
    name: 'cluster-service-account',
    kind: 'string',
    help: 'NAMESPACE/NAME of the ServiceAccount of which such a token is made',
    default: 'kube-bind/konnector',
  },
];

/** Source of a cluster's token. */
export type ProofSource =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'account'; readonly namespace: string; readonly name: string };

/** @throws ConfigError */
export function readProof({ values }: ParsedFlags): ProofSource {
  const file = values.get('cluster-token-file') ?? '';
  if (file !== '') return { kind: 'file', file };
  const text = values.get('cluster-service-account') ?? 'kube-bind/konnector';
  const [namespace = '', name = '', more] = text.split('/');
  if (namespace === '' || name === '' || more !== undefined)
    throw new ConfigError(`--cluster-service-account: must be NAMESPACE/NAME, not "${text}"`);
  return { kind: 'account', namespace, name };
}

/** Seconds. The API server issues no shorter ones. */
const TOKEN_SECONDS = 600;
/** A token is some 1 500 bytes. */
const MOST_BYTES = 8_192;

export interface ProvingOptions {
  readonly client: Pick<Client, 'create'>;
  readonly source: ProofSource;
  /** Of the portal, as the person named it. A token is made for this address only, whatever the portal says. */
  readonly portalUrl: string;
  readonly terminal: Pick<Terminal, 'err' | 'signal'>;
}

/**
 * Asks a portal; if it requires the cluster's own token, asks again with one. Sends a token from the person at once.
 * The token's audience is the portal's address: neither this cluster's API server nor another portal accepts it.
 * @throws ConfigError if no token can be had
 * @throws whatever `ask` throws
 */
export async function proven<T>(ask: (clusterToken?: string) => Promise<T>, options: ProvingOptions): Promise<T> {
  const { source } = options;
  if (source.kind === 'file') return ask(await tokenIn(source.file, options));
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PortalError) || !error.wantsClusterToken) throw error;
  }
  return ask(await madeToken(source, options));
}

async function tokenIn(file: string, { portalUrl }: ProvingOptions): Promise<string> {
  requireEncryption(portalUrl);
  const text = (await readFile(file, 'utf8').catch(() => undefined))?.trim();
  if (text === undefined) throw new ConfigError(`--cluster-token-file: ${file} cannot be read`);
  // A line break would end the HTTP header. The error does not quote the file.
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/u.test(text) || text.length > MOST_BYTES)
    throw new ConfigError(`--cluster-token-file: ${file} holds no token of a ServiceAccount`);
  return text;
}

interface TokenRequest extends UnstructuredObject {
  readonly status?: { readonly token?: string } | undefined;
}

async function madeToken(
  { namespace, name }: Extract<ProofSource, { kind: 'account' }>,
  { client, portalUrl, terminal }: ProvingOptions,
): Promise<string> {
  requireEncryption(portalUrl);
  const audience = new URL(portalUrl).origin;
  const account = `${namespace}/${name}`;
  terminal.err(
    `The provider wants a token of this cluster. One of ServiceAccount ${account} is made for ${audience} and ten minutes.`,
  );
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { namespace, name },
    spec: { audiences: [audience], expirationSeconds: TOKEN_SECONDS },
  };
  try {
    const { status } = await client.create<TokenRequest>(resources.serviceAccounts, request, {
      subresource: 'token',
      signal: terminal.signal,
    });
    if (status?.token !== undefined && status.token !== '') return status.token;
  } catch (error) {
    if (isNotFound(error))
      throw new ConfigError(
        `ServiceAccount ${account} is not on this cluster. Install the konnector, which has it: kubectl bind upgrade --konnector-image IMAGE. Or name another one that the provider knows: --cluster-service-account.`,
      );
    if (isForbidden(error))
      throw new ConfigError(
        `You may not make tokens of ServiceAccount ${account}: it needs the verb create on serviceaccounts/token. Have an administrator of this cluster do it: kubectl create token ${name} -n ${namespace} --audience ${audience} --duration 10m > FILE. Then give --cluster-token-file FILE.`,
      );
    throw error;
  }
  throw new Error(`the API server of this cluster has made no token of ServiceAccount ${account}`);
}

/** A third party that reads the token in transit could register the cluster as its own. */
function requireEncryption(portalUrl: string): void {
  if (portalUrl.startsWith('http:') && !isLoopback(portalUrl))
    throw new ConfigError(
      `${portalUrl} is not encrypted: no token of this cluster is sent there. Use its https address.`,
    );
}
