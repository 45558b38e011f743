import {
  type BindingProvider,
  type BindingResourceResponse,
  apiGroup,
  apiVersion,
  claimableResources,
} from '@hawser/kube-bind';
import type { Clock } from '@hawser/clock';
import { konnectorManifests } from '@hawser/konnector-manifests';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal, whileAwaited } from './answer.js';
import { type Binder, wishIn } from './binder.js';
import { yamlOf } from './bundle.js';
import { KONNECTOR_PATH } from './bundles.js';
import type { Catalogue } from './catalogue.js';
import type { ClusterProofs } from './clusters/cluster-proofs.js';
import type { Consumers } from './consumers.js';
import type { Person } from './person.js';
import type { Refreshes } from './refreshes.js';
import type { Sessions } from './sessions.js';
import {
  type BindBody,
  type TokenBody,
  bindSchema,
  clusterQuery,
  describe,
  signInSchema,
  tokenSchema,
} from './schemas.js';
import type { SignedIn } from './signed-in.js';
import type { SignIn, SignInParameters } from './sign-in.js';
import { tokenAnswer } from './token-answer.js';

export interface ApiOptions {
  readonly sessions: Sessions;
  readonly refreshes: Refreshes;
  readonly signIn: SignIn;
  readonly signedIn: SignedIn;
  readonly catalogue: Catalogue;
  readonly consumers: Consumers;
  readonly binder: Binder;
  readonly proofs: ClusterProofs;
  readonly clock: Clock;
  readonly publicUrl: URL;
  readonly prettyName: string;
  readonly version: string;
  readonly konnectorImage: string | undefined;
}

/** The HTTP API of the contract (spec/kube-bind-backend.md §13.5), for a `kubectl-bind` of kube-bind 0.8. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  register(app: FastifyInstance): void {
    const { signIn, sessions, refreshes, clock, konnectorImage } = this.#options;
    app.get('/healthz', (_, reply) => reply.type('text/plain').send('ok'));
    app.get('/api/healthz', (_, reply) => reply.send(''));
    app.get(
      '/api/exports',
      { schema: describe('What this provider is, and where to sign in.', { querystring: clusterQuery }) },
      (request) => this.#provider(request),
    );
    app.get('/exports', (request, reply) => reply.redirect(`/api/exports${queryOf(request)}`, 302));
    app.get('/api/bindable-resources', { schema: describe('What providers may claim.') }, () => claimable);
    app.get(
      KONNECTOR_PATH,
      { schema: describe('The konnector with the least rights, as YAML to apply in a consumer cluster.') },
      (_, reply) => {
        if (konnectorImage === undefined)
          throw new Refusal(
            404,
            'RESOURCE_NOT_FOUND',
            'This provider names no image of a konnector. Install one by its chart.',
          );
        return reply
          .type('text/yaml')
          .header('content-disposition', 'attachment; filename="konnector.yaml"')
          .send(yamlOf(konnectorManifests({ image: konnectorImage })));
      },
    );
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
    app.post<{ Body: TokenBody }>(
      '/api/token',
      {
        schema: describe('Exchanges the code of a terminal for its token, once, or renews it.', { body: tokenSchema }),
      },
      async ({ body }, reply) => {
        reply.header('cache-control', 'no-store');
        if (body.grant_type === 'refresh_token')
          return tokenAnswer(await refreshes.renew(body.refresh_token), clock.now());
        const found = await sessions.redeem(body.code, body.code_verifier);
        if (found === undefined)
          throw new Refusal(
            400,
            'AUTHENTICATION_FAILED',
            'This code is not known, has been used, is older than a minute, or belongs to another terminal. Sign in again.',
          );
        return tokenAnswer(await refreshes.first(found.session, found.idp), clock.now());
      },
    );
    app.post('/api/logout', { schema: describe('Ends the session on every replica.') }, async (request, reply) => {
      this.#options.signedIn.sameSite(request);
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
      async (request) => {
        const person = await this.#person(request);
        return listOf('APIServiceExportTemplateList', await catalogue.templates(person));
      },
    );
    app.get(
      '/api/collections',
      {
        schema: describe('Templates that belong together, of those that you may bind.', { querystring: clusterQuery }),
      },
      async (request) => {
        const person = await this.#person(request);
        return listOf('CollectionList', await catalogue.collections(person));
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

  async #person(request: FastifyRequest): Promise<Person> {
    return (await this.#options.signedIn.session(request)).person;
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
    consumerId: string | undefined,
    signal: AbortSignal,
  ): Promise<BindingResourceResponse> {
    const { signedIn, binder, proofs } = this.#options;
    const session = await signedIn.session(request);
    const wish = wishIn(body, { consumerId, proven: await proofs.identityOf(request) });
    return binder.bind(session, wish, { requestId: request.id, signal });
  }
}

/** Parameters passed from one page of the contract to the next. */
const carried: ReadonlySet<string> = new Set(['session_id', 'client_type', 'consumer_id']);

/** Go's spelling, as in the contract. */
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

function listOf<T>(kind: string, items: readonly T[]): object {
  return { apiVersion, kind, metadata: {}, items };
}

function queryOf({ url }: FastifyRequest): string {
  const at = url.indexOf('?');
  return at < 0 ? '' : url.slice(at);
}
