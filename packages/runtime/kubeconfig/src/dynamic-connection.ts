import type { ConnectionConfig, RequestHeaders } from './connection.js';
import type { WatchedFile } from './watched-file.js';

/** A fixed value, or one that follows a file. */
export type Source = string | WatchedFile | undefined;

/** Provides headers, and perhaps a certificate, from a program or a login service. */
export interface CredentialSource {
  get(renew: boolean): Promise<{
    readonly headers: RequestHeaders;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
  }>;
}

export interface ConnectionSources {
  readonly base: Omit<ConnectionConfig, 'caData' | 'credentials'>;
  readonly ca: Source;
  readonly cert: Source;
  readonly key: Source;
  /** A bearer token. */
  readonly token: Source;
  /** Further headers of each request: impersonation, basic authentication. */
  readonly headers: RequestHeaders;
  readonly plugin: CredentialSource | undefined;
}

/**
 * Builds a connection from these sources. Values from a file or a program are refreshed when the client requests
 * headers.
 */
export async function connectionFrom(sources: ConnectionSources): Promise<ConnectionConfig> {
  const { base, ca, cert, key, token, headers, plugin } = sources;
  const still =
    [ca, cert, key, token].every((source) => source === undefined || typeof source === 'string') &&
    plugin === undefined &&
    Object.keys(headers).length === 0;
  if (still) {
    const connection = { ...base, ...(ca === undefined ? {} : { caData: ca as string }) };
    if (token === undefined && cert === undefined) return { ...connection, credentials: { kind: 'none' } };
    if (cert === undefined) return { ...connection, credentials: { kind: 'token', token: (token as string).trim() } };
    if (token === undefined)
      return { ...connection, credentials: { kind: 'certificate', cert: cert as string, key: key as string } };
  }
  let fromPlugin: Awaited<ReturnType<CredentialSource['get']>> | undefined;
  const renewAll = async (renew: boolean): Promise<RequestHeaders> => {
    const [bearer] = await Promise.all([token, ca, cert, key].map((source) => refresh(source, renew)));
    fromPlugin = await plugin?.get(renew);
    return {
      ...headers,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer.trim()}` }),
      ...fromPlugin?.headers,
    };
  };
  // Unreadable sources must fail here, where the operator looks, not at the first request.
  await renewAll(false);
  return {
    ...base,
    get caData() {
      return contentOf(ca);
    },
    credentials: {
      kind: 'dynamic',
      headers: (renew = false) => renewAll(renew),
      get cert() {
        return fromPlugin?.cert ?? contentOf(cert);
      },
      get key() {
        return fromPlugin?.key ?? contentOf(key);
      },
    },
  };
}

async function refresh(source: Source, renew: boolean): Promise<string | undefined> {
  return typeof source === 'object' ? source.refresh(renew) : source;
}

function contentOf(source: Source): string | undefined {
  return typeof source === 'object' ? source.content : source;
}
