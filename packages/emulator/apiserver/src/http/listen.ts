import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { stringify } from '@hawser/json';
import type { ApiServer } from '../api-server.js';
import type { ApiRequest } from '../parts.js';
import { StatusError } from '../status.js';
import { CertificateAuthority, type KeyPair, type Subject } from './certificates.js';
import { kubeconfigText } from './kubeconfig.js';
import { PROTOBUF, fromProtobuf } from './protobuf.js';

export interface ListenOptions {
  /** Default: a free one. */
  readonly port?: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Appears in kubeconfigs. Default `hawser`. */
  readonly name?: string;
  /** Signs the serving certificate and client certificates. Default: a new one. */
  readonly authority?: KeyPair;
}

/** The part of a server that a listener needs. */
export type ListeningServer = Pick<ApiServer, 'handle' | 'setLocation' | 'adminToken'>;

/** A server reachable by https. */
export interface Listener {
  readonly url: string;
  readonly port: number;
  /** PEM. */
  readonly authority: string;
  /** For listening again as the same server. The key is secret. */
  readonly authorityPair: KeyPair;
  /** An administrator's, with a client certificate and a token. */
  readonly kubeconfig: string;
  /** For a user with a client certificate; RBAC grants decide the rights. */
  kubeconfigFor(subject: Subject): string;
  issueClient(subject: Subject): KeyPair;
  /** Ends all connections. The server itself continues. Idempotent. */
  close(): Promise<void>;
}

const AUTHORITY = 'hawser-apiserver-ca';
/** Refuses a body of more than 3 MiB; does not read the rest. */
const MAX_BODY = 3 * 1024 * 1024 + 1024;
/** Ends a watch whose reader is this far behind, as the API server does. */
const MAX_BUFFERED = 32 * 1024 * 1024;

/** Serves the API by https on a loopback address. */
export async function listen(server: ListeningServer, options: ListenOptions = {}): Promise<Listener> {
  const { port = 0, host = '127.0.0.1', name = 'hawser' } = options;
  const authority =
    options.authority === undefined
      ? CertificateAuthority.create(AUTHORITY)
      : CertificateAuthority.load(AUTHORITY, options.authority);
  const serving = authority.issueServer('kube-apiserver', [
    ...new Set(['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc', '127.0.0.1', '::1', host]),
  ]);
  const https = createServer(
    { ...serving, ca: authority.cert, requestCert: true, rejectUnauthorized: false, noDelay: true, keepAlive: true },
    (request, response) => {
      receive(server, request, response);
    },
  );
  https.requestTimeout = 0;
  https.headersTimeout = 0;
  https.keepAliveTimeout = 90_000;
  const url = await start(https, port, host);
  server.setLocation({ url, authorityPem: authority.cert });
  const kubeconfigFor = (subject: Subject, token?: string): string =>
    kubeconfigText({
      name,
      server: url,
      authority: authority.cert,
      user: { ...authority.issueClient(subject), ...(token === undefined ? {} : { token }) },
    });
  const admin = kubeconfigFor({ commonName: 'kubernetes-admin', organizations: ['system:masters'] }, server.adminToken);
  return {
    url,
    port: (https.address() as AddressInfo).port,
    authority: authority.cert,
    authorityPair: authority.pair,
    kubeconfig: admin,
    kubeconfigFor: (subject) => kubeconfigFor(subject),
    issueClient: (subject) => authority.issueClient(subject),
    close: () => stop(https),
  };
}

async function start(https: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    https.once('error', reject);
    https.listen(port, host, () => {
      https.off('error', reject);
      resolve();
    });
  });
  return `https://${host.includes(':') ? `[${host}]` : host}:${(https.address() as AddressInfo).port}`;
}

async function stop(https: Server): Promise<void> {
  if (!https.listening) return;
  await new Promise<void>((resolve) => {
    https.close(() => {
      resolve();
    });
    https.closeAllConnections();
  });
}

function receive(server: ListeningServer, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    if (size <= MAX_BODY) chunks.push(chunk);
    size += chunk.length;
  });
  request.on('end', () => {
    respond(server, toRequest(request, Buffer.concat(chunks)), response);
  });
  request.on('error', () => {
    response.destroy();
  });
}

function toRequest(request: IncomingMessage, body: Buffer): ApiRequest {
  const certificate = request.socket instanceof TLSSocket ? clientSubject(request.socket) : undefined;
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    ...asText(request.headers, body),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

/** Converts protobuf to JSON first. An unknown body stays, and is answered by its content type. */
function asText(headers: IncomingMessage['headers'], body: Buffer): Pick<ApiRequest, 'headers' | 'body'> {
  if (headers['content-type']?.startsWith(PROTOBUF) !== true || body.length === 0)
    return { headers, body: body.toString('utf8') };
  try {
    const object = fromProtobuf(body);
    if (object !== undefined)
      return { headers: { ...headers, 'content-type': 'application/json' }, body: stringify(object) };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
  return { headers, body: body.toString('utf8') };
}

/** Only for a certificate that our authority signed. */
function clientSubject(socket: TLSSocket): ApiRequest['certificate'] {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate() as {
    readonly subject?: { readonly CN?: string | string[]; readonly O?: string | string[] };
  };
  if (subject === undefined) return undefined;
  const all = (value: string | string[] | undefined): readonly string[] =>
    value === undefined ? [] : Array.isArray(value) ? value : [value];
  return { commonName: all(subject.CN)[0] ?? '', organizations: all(subject.O) };
}

function respond(server: ListeningServer, request: ApiRequest, response: ServerResponse): void {
  const exchange = server.handle(request, {
    head(status, headers) {
      response.writeHead(status, { 'audit-id': randomUUID(), ...(headers as Record<string, string | string[]>) });
      // A watch is established even before its first event.
      response.flushHeaders();
    },
    data(chunk) {
      response.write(chunk);
      if (response.writableLength > MAX_BUFFERED) response.destroy();
    },
    end() {
      response.end();
    },
    fail() {
      response.destroy();
    },
  });
  response.on('close', () => {
    exchange.abort();
  });
}
