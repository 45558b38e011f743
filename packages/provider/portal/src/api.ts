import {
  type APIServiceExportTemplate,
  type BindingProvider,
  type BindingResourceResponse,
  type ExportRequestDocument,
  apiGroup,
  apiVersion,
  claimableResources,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { Refusal } from './answer.js';
import type { Access } from './access.js';
import type { Catalogue } from './catalogue.js';
import type { Consumers } from './consumers.js';
import { type Person, identityOf } from './person.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import type { SignIn, SignInParameters } from './sign-in.js';

export interface ApiOptions {
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly access: Access;
  readonly catalogue: Catalogue;
  readonly consumers: Consumers;
  readonly publicUrl: URL;
  readonly prettyName: string;
  readonly version: string;
  /** Who was granted and refused what. */
  readonly audit: Logger;
}

interface BindBody {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly templateRef: { readonly name: string };
    readonly clusterIdentity: { readonly identity: string; readonly prettyName?: string };
  };
}

/** The identity by which the web page of the Go backend binds for the person and not for a cluster. */
const PAGE_IDENTITY = 'ui-identity';

const text = (maxLength: number): object => ({ type: 'string', minLength: 1, maxLength });
const optionalText = (maxLength: number): object => ({ type: 'string', maxLength });

const signInSchema = {
  type: 'object',
  required: ['redirect_url', 'session_id'],
  properties: {
    redirect_url: text(1024),
    session_id: text(128),
    cluster_id: { type: 'string', maxLength: 0 },
    client_type: optionalText(16),
    consumer_id: optionalText(1024),
  },
};

const name = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
};

const bindSchema = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: {
    metadata: { type: 'object', required: ['name'], properties: { name } },
    spec: {
      type: 'object',
      required: ['templateRef', 'clusterIdentity'],
      properties: {
        templateRef: { type: 'object', required: ['name'], properties: { name } },
        clusterIdentity: {
          type: 'object',
          required: ['identity'],
          properties: { identity: text(1024), prettyName: optionalText(253) },
        },
        author: { type: 'string' },
      },
    },
  },
};

const clusterQuery = {
  type: 'object',
  properties: { cluster_id: { type: 'string', maxLength: 0 }, consumer_id: optionalText(1024) },
};

/** The HTTP API of the contract (spec/kube-bind-backend.md §13.5), as a `kubectl-bind` of kube-bind 0.8 speaks it. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  register(app: FastifyInstance): void {
    const { signIn, sessions } = this.#options;
    app.get('/healthz', (_, reply) => reply.type('text/plain').send('ok'));
    app.get('/api/healthz', (_, reply) => reply.send(''));
    app.get(
      '/api/exports',
      { schema: describe('What this provider is, and where to sign in.', { querystring: clusterQuery }) },
      (request) => this.#provider(request),
    );
    app.get('/exports', (request, reply) => reply.redirect(`/api/exports${queryOf(request)}`, 302));
    app.get('/api/bindable-resources', { schema: describe('What providers may claim.') }, () => claimable);
    app.get<{ Querystring: SignInParameters }>(
      '/api/authorize',
      { schema: describe('Begins a sign-in.', { querystring: signInSchema }) },
      (request, reply) => signIn.begin(request, reply, request.query),
    );
    app.post<{ Body: SignInParameters }>(
      '/api/authorize',
      { schema: describe('Begins a sign-in.', { body: signInSchema }) },
      (request, reply) => signIn.begin(request, reply, request.body),
    );
    app.get('/api/callback', { schema: describe('Where the identity provider sends people back.') }, (request, reply) =>
      signIn.end(request, reply),
    );
    app.post('/api/logout', { schema: describe('Ends the session on every replica.') }, async (request, reply) => {
      this.#sameSite(request);
      await sessions.end(request, reply);
      return reply.type('text/plain').send('logged out');
    });
    this.#registerForPeople(app);
  }

  #registerForPeople(app: FastifyInstance): void {
    const { catalogue, consumers } = this.#options;
    app.get('/api/ping', { schema: describe('Whether you are signed in, and may bind.') }, async (request, reply) => {
      await this.#person(request);
      return reply.type('text/plain').send('pong');
    });
    app.get(
      '/api/templates',
      { schema: describe('What you may bind.', { querystring: clusterQuery }) },
      async (request, reply) => {
        const person = await this.#person(request);
        const signal = whileAwaited(reply);
        return listOf('APIServiceExportTemplateList', await catalogue.templates(person, signal));
      },
    );
    app.get(
      '/api/collections',
      {
        schema: describe('Templates that belong together, of those that you may bind.', { querystring: clusterQuery }),
      },
      async (request, reply) => {
        const person = await this.#person(request);
        const signal = whileAwaited(reply);
        return listOf('CollectionList', await catalogue.collections(person, signal));
      },
    );
    app.get(
      '/api/consumer-status',
      { schema: describe('Your cluster, if you have bound one.', { querystring: clusterQuery }) },
      async (request, reply) => {
        const person = await this.#person(request);
        const signal = whileAwaited(reply);
        const [first] = await consumers.of(person, signal);
        const namespace = first?.status?.namespace;
        if (namespace === undefined) return { connected: false };
        const exports = await consumers.exportsOf(namespace, signal);
        return { connected: exports.length > 0, namespace, exports };
      },
    );
    app.post<{ Body: BindBody; Querystring: { consumer_id?: string } }>(
      '/api/bind',
      {
        schema: describe('Makes a cluster a consumer, and hands out its kubeconfig.', {
          body: bindSchema,
          querystring: clusterQuery,
        }),
      },
      (request, reply) => this.#bind(request, request.body, request.query.consumer_id, whileAwaited(reply)),
    );
  }

  /** @throws {Refusal} for one who has not signed in, or may bind nothing at all */
  async #session(request: FastifyRequest): Promise<Session> {
    const found = await this.#options.sessions.find(request);
    if (found === undefined)
      throw new Refusal(
        401,
        'AUTHENTICATION_FAILED',
        'Sign in first: with kubectl bind login, or at /api/authorize. A sign-in ends after some time, and when you sign out.',
        { 'www-authenticate': 'Bearer realm="hawser"' },
      );
    if (found.by === 'cookie' && request.method !== 'GET') this.#sameSite(request);
    return found.session;
  }

  async #person(request: FastifyRequest): Promise<Person> {
    return (await this.#session(request)).person;
  }

  /** Browsers send cookies by themselves: what another site has them send is refused. */
  #sameSite(request: FastifyRequest): void {
    const { origin } = request.headers;
    const site = request.headers['sec-fetch-site'];
    const foreign =
      origin === undefined
        ? site !== undefined && site !== 'same-origin' && site !== 'none'
        : origin !== this.#options.publicUrl.origin;
    if (foreign)
      throw new Refusal(403, 'AUTHORIZATION_FAILED', 'This request comes from another site, and is refused.');
  }

  #provider(request: FastifyRequest): BindingProvider {
    const { publicUrl, prettyName, version } = this.#options;
    const url = new URL('/api/authorize', publicUrl);
    for (const [key, value] of Object.entries(request.query as Readonly<Record<string, unknown>>))
      if (typeof value === 'string' && value !== '' && carried.has(key)) url.searchParams.set(key, value);
    return {
      kind: 'BindingProvider',
      // The contract's own: without the group.
      apiVersion: apiVersion.replace(`${apiGroup}/`, '') as typeof apiVersion,
      version,
      providerPrettyName: prettyName,
      authenticationMethods: [{ method: 'OAuth2CodeGrant', oauth2CodeGrant: { authenticatedURL: url.href } }],
    };
  }

  async #bind(
    request: FastifyRequest,
    body: BindBody,
    consumerId = '',
    signal: AbortSignal,
  ): Promise<BindingResourceResponse> {
    const { catalogue, consumers, audit } = this.#options;
    const session = await this.#session(request);
    const { person } = session;
    const identity = consumerId === '' ? body.spec.clusterIdentity.identity : consumerId;
    const template = body.spec.templateRef.name;
    const about = { person: identityOf(person), template, cluster: identity, requestId: request.id };
    try {
      if (identity === PAGE_IDENTITY)
        throw new Refusal(
          400,
          'BAD_REQUEST',
          'Name the cluster that you bind: kubectl bind apiservice does it. Binding for a person without a cluster is not offered.',
        );
      // First, so that a name that is refused leaves nothing behind.
      const found = await catalogue.template(person, template, signal);
      const prettyName = body.spec.clusterIdentity.prettyName ?? '';
      const cluster = { identity, prettyName: prettyName === '' ? body.metadata.name : prettyName };
      const consumer = await consumers.open(person, cluster, signal);
      audit.info('handed out a kubeconfig', { ...about, namespace: consumer.namespace });
      return {
        kind: 'BindingResponse',
        apiVersion,
        authentication: { oauth2CodeGrant: { sid: session.id, id: identityOf(person) } },
        kubeconfig: consumer.kubeconfig,
        requests: [requestOf(body.metadata.name, found)],
        providerNamespace: consumer.namespace,
      };
    } catch (error) {
      if (error instanceof Refusal) audit.info('refused a binding', { ...about, reason: error.message });
      throw error;
    }
  }
}

/** Goes on from one page of the contract to the next. */
const carried: ReadonlySet<string> = new Set(['session_id', 'client_type', 'consumer_id']);

/** In the words of Go, as the contract has them. */
const claimable = [
  { plural: 'configmaps', singular: 'configmap', kind: 'ConfigMap' },
  { plural: 'secrets', singular: 'secret', kind: 'Secret' },
  { plural: 'serviceaccounts', singular: 'serviceaccount', kind: 'ServiceAccount' },
]
  .filter(({ plural }) => (claimableResources as readonly string[]).includes(plural))
  .map((names) => ({
    Names: names,
    GroupVersionResource: { Group: '', Version: 'v1', Resource: names.plural },
    Instance: { apiVersion: 'v1', kind: names.kind, metadata: {} },
    ResourceScope: 'Namespaced',
    HasStatus: false,
  }));

function requestOf(bindingName: string, { spec }: APIServiceExportTemplate): ExportRequestDocument {
  const { resources, permissionClaims, namespaces, schemaUpdatePolicy } = spec;
  return {
    kind: 'APIServiceExportRequest',
    apiVersion,
    metadata: { name: bindingName },
    spec: {
      resources,
      ...(permissionClaims === undefined ? {} : { permissionClaims }),
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(schemaUpdatePolicy === undefined ? {} : { schemaUpdatePolicy }),
    },
  };
}

function listOf<T>(kind: string, items: readonly T[]): object {
  return { apiVersion, kind, metadata: {}, items };
}

function describe(
  summary: string,
  parts: NonNullable<RouteShorthandOptions['schema']> = {},
): NonNullable<RouteShorthandOptions['schema']> {
  return { summary, ...parts };
}

/** Until somebody is gone who has not been answered: the request's own signal ends with the body. */
function whileAwaited({ raw }: FastifyReply): AbortSignal {
  const awaited = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) awaited.abort();
  });
  return awaited.signal;
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}
