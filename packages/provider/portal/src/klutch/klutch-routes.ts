import { objectKey } from '@hawser/client';
import { resources } from '@hawser/klutch';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whileAwaited } from '../answer.js';
import type { Binder } from '../binder.js';
import { grantTemplate } from '../grants.js';
import { type Frame, form, policy } from '../pages/frame.js';
import { describe, optionalText } from '../schemas.js';
import type { SignIn } from '../sign-in.js';
import type { KlutchCatalogue } from './klutch-catalogue.js';
import { type KlutchConsumers, klutchIdentity } from './klutch-consumers.js';
import { type KlutchQuery, klutchAnswer, klutchFlowOf, queryOfKlutchFlow } from './klutch-flow.js';
import { klutchPage } from './klutch-page.js';

export interface KlutchRoutesOptions {
  readonly frame: Frame;
  readonly signIn: SignIn;
  readonly catalogue: KlutchCatalogue;
  readonly consumers: KlutchConsumers;
  readonly client: Parameters<typeof grantTemplate>[0];
  readonly binder: Pick<Binder, 'audited'>;
  readonly publicUrl: URL;
  readonly prettyName: string;
  /** Whether a terminal may receive its answer at a loopback address. */
  readonly terminals: boolean;
}

interface BindForm {
  readonly form_token: string;
  readonly template: string;
}

const querystring = {
  type: 'object',
  properties: { u: optionalText(1_024), p: optionalText(5), s: optionalText(128), c: optionalText(64) },
};
const bindForm = form({ template: { type: 'string', pattern: '^[a-z0-9.\\-]{1,63}/[a-z0-9.\\-]{1,253}$' } });

/**
 * `kubectl bind` refuses providers older than 0.3.0 of Klutch's own versions, and treats this one as built from source.
 */
const UNVERSIONED = 'v0.0.0';

/**
 * Registers the routes for a `kubectl bind` of Klutch (spec/klutch.md §8). Klutch's backend acts on a GET and the
 * cookie alone; this portal needs a form, after the person has read the agreement.
 */
export function registerKlutchRoutes(app: FastifyInstance, options: KlutchRoutesOptions): void {
  const { publicUrl, prettyName, signIn } = options;
  const routes = new KlutchRoutes(options);
  app.get('/export', { schema: describe('What this provider of Klutch is, and where to sign in.') }, () => ({
    kind: 'BindingProvider',
    // The contract's own: without the group.
    apiVersion: resources.clusterBindings.version,
    version: UNVERSIONED,
    providerPrettyName: prettyName,
    authenticationMethods: [
      { method: 'OAuth2CodeGrant', oauth2CodeGrant: { authenticatedURL: new URL('/authorize', publicUrl).href } },
    ],
  }));
  app.get<{ Querystring: KlutchQuery }>('/authorize', { schema: { hide: true, querystring } }, (request, reply) =>
    routes.authorize(request, reply),
  );
  // Registered at the identity provider for a backend of Klutch.
  app.get('/callback', { schema: { hide: true } }, (request, reply) => signIn.end(request, reply));
  app.get<{ Querystring: KlutchQuery }>('/resources', { schema: { hide: true, querystring } }, (request, reply) =>
    routes.show(request, reply),
  );
  app.post<{ Querystring: KlutchQuery; Body: BindForm }>(
    '/bind',
    { schema: { hide: true, querystring, body: bindForm } },
    (request, reply) => routes.bind(request, reply),
  );
}

class KlutchRoutes {
  readonly #options: KlutchRoutesOptions;

  constructor(options: KlutchRoutesOptions) {
    this.#options = options;
  }

  /** Leads the terminal to the identity provider, and from there to the templates. */
  authorize(request: FastifyRequest<{ Querystring: KlutchQuery }>, reply: FastifyReply): Promise<FastifyReply> {
    const { signIn, publicUrl } = this.#options;
    const flow = this.#flowOf(request.query);
    const page = new URL(`/resources${queryOfKlutchFlow(flow)}`, publicUrl);
    return signIn.begin(request, reply, { redirect_url: page.href, session_id: flow.sessionId });
  }

  async show(request: FastifyRequest<{ Querystring: KlutchQuery }>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, catalogue } = this.#options;
    const flow = this.#flowOf(request.query);
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply, flow.sessionId);
    const templates = await catalogue.templates(visit.session.person, whileAwaited(reply));
    reply.header('content-security-policy', policy({ answers: flow.redirect.origin }));
    return frame.send(reply, 'Bind', visit, klutchPage({ templates, flow, formToken: visit.formToken }));
  }

  async bind(
    request: FastifyRequest<{ Querystring: KlutchQuery; Body: BindForm }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { frame, catalogue, consumers, client, binder } = this.#options;
    const { form_token: formToken, template: key } = request.body;
    const { session } = await frame.sender(request, formToken);
    const { person } = session;
    const flow = this.#flowOf(request.query);
    const signal = whileAwaited(reply);
    const [namespace = '', name = ''] = key.split('/');
    const wish = { name, template: key, cluster: { identity: klutchIdentity(person, flow.clusterId), prettyName: '' } };
    const answer = await binder.audited(
      'handed out a kubeconfig',
      person,
      wish,
      { requestId: request.id, signal },
      async () => {
        // First: a refused name leaves nothing behind.
        const template = await catalogue.template(person, { namespace, name }, signal);
        const consumer = await consumers.open(person, flow.clusterId, signal);
        await grantTemplate(client, resources.clusterBindings, consumer.namespace, objectKey(template), signal);
        return { answer: klutchAnswer(flow, { person, template, kubeconfig: consumer.kubeconfig }), consumer };
      },
    );
    return reply.redirect(answer.href, 303);
  }

  #flowOf(query: KlutchQuery): ReturnType<typeof klutchFlowOf> {
    return klutchFlowOf(query, this.#options.publicUrl, this.#options.terminals);
  }
}
