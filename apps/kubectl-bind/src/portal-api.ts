import { readFileSync } from 'node:fs';
import { getCACertificates, rootCertificates } from 'node:tls';
import { ConfigError } from '@hawser/config';
import { type APIServiceExportTemplate, type Collection } from '@hawser/kube-bind';
import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import * as z from 'zod';
import { type Answer, bindingAnswer } from './answer.js';

/** How to reach a portal. */
export interface PortalAccess {
  /** Without a slash at its end. */
  readonly url: string;
  /** kcp: the logical cluster of the backend. */
  readonly cluster?: string | undefined;
  readonly token?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** PEM file with certificate authorities, in addition to the platform's. */
  readonly caFile?: string | undefined;
}

/** A portal, or the Go backend, did not do what it was asked. The message is for people. */
export class PortalError extends Error {
  override readonly name = 'PortalError';
  constructor(
    message: string,
    /** HTTP status of the answer; undefined: no answer, or not from a portal. */
    readonly status?: number,
    /** The portal is unreachable, busy or out of order: the same request may succeed later. */
    readonly passes = status === 429 || (status ?? 0) >= 500,
    /** The same request may succeed with a token of the cluster. */
    readonly wantsClusterToken = false,
  ) {
    super(message);
  }
}

/** Request for a binding. */
export interface BindingWanted {
  readonly name: string;
  readonly template: string;
  /** Identity of the consumer cluster. */
  readonly identity: string;
}

const listOf = z.object({ items: z.array(z.unknown()).nullish() });
const provider = z.object({
  kind: z.literal('BindingProvider'),
  providerPrettyName: z.string().default(''),
  version: z.string().default(''),
  authenticationMethods: z.array(
    z.object({ method: z.string(), oauth2CodeGrant: z.object({ authenticatedURL: z.string() }).optional() }),
  ),
});
const failure = z.object({ message: z.string(), details: z.string().optional() });
const token = z.object({
  access_token: z.string().min(1),
  token_type: z.string(),
  expires_in: z.number(),
  /** Valid for one renewal; the Go backend has none. */
  refresh_token: z.string().min(1).optional(),
  /** Who signed in; the Go backend does not report it. */
  subject: z.string().optional(),
  name: z.string().optional(),
});
export type Token = z.infer<typeof token>;
const deviceStart = z.object({
  device_code: z.string().min(1),
  user_code: z.string().regex(/^[A-Z-]{1,32}$/u),
  verification_uri: z.url({ protocol: /^https?$/u }),
  expires_in: z.number().positive(),
  interval: z.number().min(1).max(60),
});
/** A sign-in that a person approves on another device. */
export type DeviceStart = z.infer<typeof deviceStart>;
const pending = z.object({ status: z.literal('pending') });

const TIMEOUT_MS = 60_000;
/** Room for a catalogue of some thousand templates; the contract has no pages. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Client for the HTTP API of a Hawser portal, and of the Go backend of kube-bind 0.8 (spec/kube-bind-backend.md §13.5).
 */
export class PortalApi {
  readonly #access: PortalAccess;
  readonly #dispatcher: Dispatcher;

  /** @throws ConfigError for an unreadable file of authorities */
  constructor(access: PortalAccess) {
    this.#access = access;
    const tls = {
      rejectUnauthorized: access.insecureSkipTlsVerify !== true,
      ca: [...rootCertificates, ...getCACertificates('system'), ...authoritiesIn(access.caFile)],
    };
    // Uses the proxies of the environment, as kubectl does.
    this.#dispatcher = new EnvHttpProxyAgent({ connect: tls, requestTls: tls, proxyTls: tls });
  }

  close(): Promise<void> {
    return this.#dispatcher.destroy();
  }

  async provider(): Promise<z.infer<typeof provider>> {
    const found = provider.safeParse(await this.#json('GET', 'exports'));
    if (!found.success) throw this.#not('a provider of kube-bind');
    return found.data;
  }

  async templates(): Promise<readonly APIServiceExportTemplate[]> {
    return (await this.#list('templates')) as readonly APIServiceExportTemplate[];
  }

  async collections(): Promise<readonly Collection[]> {
    return (await this.#list('collections')) as readonly Collection[];
  }

  /** Makes the cluster a consumer. `clusterToken`: proves the cluster's identity. */
  async bind({ name, template, identity }: BindingWanted, clusterToken?: string): Promise<Answer> {
    const body = {
      metadata: { name },
      spec: { templateRef: { name: template }, clusterIdentity: { identity }, author: 'kubectl-bind' },
    };
    return this.answer(await this.#json('POST', 'bind', body, clusterToken));
  }

  /**
   * Parses the alleged answer to a binding.
   * @throws PortalError
   */
  answer(value: unknown): Answer {
    const read = bindingAnswer(value);
    if (typeof read === 'string')
      throw new PortalError(`${this.#access.url} answers the binding with what cannot be used: ${read}`);
    return read;
  }

  /** Exchanges the code of a sign-in. */
  async token(code: string, verifier: string): Promise<Token> {
    const body = { grant_type: 'authorization_code', code, code_verifier: verifier };
    const found = token.safeParse(await this.#json('POST', 'token', body));
    if (!found.success) throw this.#not('a portal that exchanges codes');
    return found.data;
  }

  /** Renews a login. Undefined: it ended for good. */
  async renew(refreshToken: string): Promise<Token | undefined> {
    let answer: unknown;
    try {
      answer = await this.#json('POST', 'token', { grant_type: 'refresh_token', refresh_token: refreshToken });
    } catch (error) {
      if (error instanceof PortalError && !error.passes) return undefined;
      throw error;
    }
    const found = token.safeParse(answer);
    if (!found.success) throw this.#not('a portal that renews logins');
    return found.data;
  }

  /** Begins a sign-in whose browser need not reach this machine. Undefined: the portal offers none. */
  async beginDevice(challenge: string): Promise<DeviceStart | undefined> {
    let answer: unknown;
    try {
      answer = await this.#json('POST', 'device', { code_challenge: challenge, code_challenge_method: 'S256' });
    } catch (error) {
      if (error instanceof PortalError && (error.status === 404 || error.status === 405)) return undefined;
      throw error;
    }
    const found = deviceStart.safeParse(answer);
    if (!found.success) throw this.#not('a portal that signs terminals in by a code');
    return found.data;
  }

  /** Undefined until a person approves it. */
  async deviceToken(code: string, verifier: string): Promise<Token | undefined> {
    const answer = await this.#json('POST', 'device/token', { device_code: code, code_verifier: verifier });
    if (pending.safeParse(answer).success) return undefined;
    const found = token.safeParse(answer);
    if (!found.success) throw this.#not('a portal that signs terminals in by a code');
    return found.data;
  }

  /**
   * Exchanges the code of a bundle for its YAML. Holds a credential. `clusterToken`: proves which cluster presents the
   * code.
   */
  bundle(code: string, clusterToken?: string): Promise<string> {
    return this.#text('POST', 'bundle', code, 'application/yaml', clusterToken);
  }

  /** Has the provider replace a cluster's credential. `namespace`: the cluster's namespace on the provider. */
  async replaceCredential(namespace: string): Promise<void> {
    await this.#json('POST', `clusters/${encodeURIComponent(namespace)}/credential`, { action: 'replace' });
  }

  async logout(): Promise<void> {
    await this.#text('POST', 'logout', undefined, 'text/plain');
  }

  async #list(path: string): Promise<readonly unknown[]> {
    const found = listOf.safeParse(await this.#json('GET', path));
    if (!found.success) throw this.#not(`a list of ${path}`);
    return found.data.items ?? [];
  }

  async #json(method: 'GET' | 'POST', path: string, body?: object, clusterToken?: string): Promise<unknown> {
    const text = await this.#text(method, path, body, 'application/json', clusterToken);
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.#not('JSON');
    }
  }

  async #text(
    method: 'GET' | 'POST',
    path: string,
    body: object | string | undefined,
    accept: string,
    clusterToken?: string,
  ): Promise<string> {
    const { url, cluster = '', token: bearer = '' } = this.#access;
    const at = new URL(`${url}/api/${path}`);
    if (cluster !== '') at.searchParams.set('cluster_id', cluster);
    const headers: Record<string, string> = { accept, 'user-agent': 'kubectl-bind-cli' };
    if (bearer !== '') headers['authorization'] = `Bearer ${bearer}`;
    if (clusterToken !== undefined) headers['hawser-cluster-token'] = clusterToken;
    if (body !== undefined) headers['content-type'] = typeof body === 'string' ? 'text/plain' : 'application/json';
    let status: number;
    let type: string;
    let wantsClusterToken: boolean;
    let text: string;
    try {
      const answer = await request(at, {
        method,
        headers,
        dispatcher: this.#dispatcher,
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        // A hard limit: a trickle of bytes does not extend it.
        signal: AbortSignal.timeout(2 * TIMEOUT_MS),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      status = answer.statusCode;
      type = String(answer.headers['content-type'] ?? '');
      wantsClusterToken = answer.headers['hawser-cluster-proof'] === 'required';
      text = await bounded(answer.body);
    } catch (error) {
      throw new PortalError(`${url} cannot be reached: ${reasonOf(error)}`, undefined, true);
    }
    if (status >= 300 && status < 400) throw new PortalError(`${url} leads to another address. Give that one.`, status);
    if (status >= 400) throw this.#failed(status, text, wantsClusterToken);
    // The Go backend answers an unknown path with its front page.
    if (type.startsWith('text/html')) throw this.#not(accept === 'application/json' ? 'the API of kube-bind' : accept);
    return text;
  }

  #failed(status: number, text: string, wantsClusterToken: boolean): PortalError {
    const { url, cluster = '' } = this.#access;
    const parsed = failure.safeParse(jsonOf(text));
    const message = parsed.success ? parsed.data.message : `it says nothing more`;
    if (status === 401) {
      const again = `kubectl bind login ${url}${cluster === '' ? '' : ` --cluster ${cluster}`}`;
      return new PortalError(`${url} does not know you (any more): ${message} Log in again: ${again}`, status);
    }
    const details = parsed.success && parsed.data.details !== undefined ? ` ${parsed.data.details}` : '';
    return new PortalError(`${url} refuses it (${status}): ${message}${details}`, status, undefined, wantsClusterToken);
  }

  #not(what: string): PortalError {
    return new PortalError(
      `${this.#access.url} is not ${what}: it answers something else. Is that the address of the portal?`,
    );
  }
}

async function bounded(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error('its answer is longer than 32 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function authoritiesIn(file: string | undefined): readonly string[] {
  if (file === undefined || file === '') return [];
  try {
    return [readFileSync(file, 'utf8')];
  } catch {
    throw new ConfigError(`--server-ca: ${file} cannot be read`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The cause says more than the library's own message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
