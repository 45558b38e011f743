import formbody from '@fastify/formbody';
import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ComponentChildren, h } from 'preact';
import { Refusal, refusalOf, whileAwaited } from '../answer.js';
import type { Binder } from '../binder.js';
import type { Catalogue } from '../catalogue.js';
import { objectName, optionalText } from '../schemas.js';
import type { Sealer } from '../seal.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import type { SignedIn } from '../signed-in.js';
import { cataloguePage } from './catalogue-page.js';
import { type Flow, type FlowQuery, answerOf, flowOf } from './flow.js';
import { documentOf } from './layout.js';
import { style } from './style.js';
import { templatePage } from './template-page.js';

export interface PagesOptions {
  readonly sessions: Sessions;
  readonly signedIn: SignedIn;
  readonly catalogue: Catalogue;
  readonly binder: Binder;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly publicUrl: URL;
  readonly prettyName: string;
  readonly log: Logger;
  /** Whether a terminal may be answered at a loopback address. */
  readonly terminals: boolean;
}

interface Visit {
  readonly session: Session;
  readonly formToken: string;
}

type Query = FlowQuery & { readonly q?: string };

const querystring = {
  type: 'object',
  properties: {
    q: optionalText(200),
    redirect_url: optionalText(1024),
    session_id: optionalText(128),
    consumer_id: optionalText(1024),
    cluster_id: optionalText(0),
  },
};
const templateName = { type: 'object', required: ['template'], properties: { template: optionalText(253) } };
const form = (fields: object): object => ({
  type: 'object',
  required: ['form_token', ...Object.keys(fields)],
  properties: { form_token: optionalText(4096), ...fields },
});
const FORM_MS = 3_600_000;

/** What people see in a browser. Rendered here, without scripts; each form proves that it comes from a page that this person was shown. */
export class Pages {
  readonly #options: PagesOptions;

  constructor(options: PagesOptions) {
    this.#options = options;
  }

  async register(app: FastifyInstance): Promise<void> {
    await app.register(async (scope) => {
      await scope.register(formbody);
      scope.addHook('onRequest', async (_, reply) => {
        reply.header('content-security-policy', policy());
        // With none at all, browsers send forms without their origin, as other sites would.
        reply.header('referrer-policy', 'same-origin');
      });
      scope.setErrorHandler((error, request, reply) => this.#failed(error, request, reply));
      scope.get('/assets/portal.css', (_, reply) => reply.type('text/css').send(style));
      scope.get<{ Querystring: Query }>('/', { schema: { hide: true, querystring } }, (request, reply) =>
        this.#showCatalogue(request, reply),
      );
      scope.get<{ Querystring: Query; Params: { template: string } }>(
        '/templates/:template',
        { schema: { hide: true, querystring, params: templateName } },
        (request, reply) => this.#showTemplate(request, reply),
      );
      scope.post<{ Querystring: Query; Params: { template: string }; Body: { form_token: string; name: string } }>(
        '/templates/:template',
        { schema: { hide: true, querystring, params: templateName, body: form({ name: objectName }) } },
        (request, reply) => this.#bind(request, reply),
      );
      scope.post<{ Body: { form_token: string } }>(
        '/sign-out',
        { schema: { hide: true, body: form({}) } },
        async (request, reply) => {
          await this.#fromOwnForm(request, request.body.form_token);
          await this.#options.sessions.end(request, reply);
          return this.#send(reply, 'Signed out', undefined, [
            h('h1', null, 'You are signed out'),
            h('p', null, h('a', { class: 'button', href: '/' }, 'Sign in again')),
          ]);
        },
      );
    });
  }

  async #showCatalogue(request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply): Promise<FastifyReply> {
    const { catalogue, publicUrl, terminals } = this.#options;
    const flow = flowOf(request.query, publicUrl, terminals);
    const visit = await this.#visit(request);
    if (visit === undefined) return this.#askToSignIn(request, reply, flow);
    const signal = whileAwaited(reply);
    const { person } = visit.session;
    const [templates, collections] = await Promise.all([
      catalogue.templates(person, signal),
      catalogue.collections(person, signal),
    ]);
    const search = (request.query.q ?? '').trim();
    return this.#send(reply, 'Catalogue', visit, cataloguePage({ templates, collections, search, flow }));
  }

  async #showTemplate(
    request: FastifyRequest<{ Querystring: Query; Params: { template: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { catalogue, publicUrl, terminals } = this.#options;
    const flow = flowOf(request.query, publicUrl, terminals);
    const visit = await this.#visit(request);
    if (visit === undefined) return this.#askToSignIn(request, reply, flow);
    const template = await catalogue.template(visit.session.person, request.params.template, whileAwaited(reply));
    const { formToken } = visit;
    reply.header('content-security-policy', policy(flow?.redirect.origin));
    return this.#send(reply, template.metadata.name, visit, templatePage({ template, flow, formToken, publicUrl }));
  }

  async #bind(
    request: FastifyRequest<{
      Querystring: Query;
      Params: { template: string };
      Body: { form_token: string; name: string };
    }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { binder, publicUrl, terminals } = this.#options;
    const session = await this.#fromOwnForm(request, request.body.form_token);
    const flow = flowOf(request.query, publicUrl, terminals);
    if (flow === undefined)
      throw new Refusal(400, 'BAD_REQUEST', 'No terminal waits for this. Start with kubectl bind in a terminal.');
    const { name } = request.body;
    const cluster = { identity: flow.consumerId, prettyName: name };
    const wish = { name, template: request.params.template, cluster, requestId: request.id };
    const response = await binder.bind(session, wish, whileAwaited(reply));
    return reply.redirect(answerOf(flow, response).href, 303);
  }

  /** Undefined for one who has not signed in in this browser. */
  async #visit(request: FastifyRequest): Promise<Visit | undefined> {
    const { signedIn, sealer, clock } = this.#options;
    const found = await signedIn.find(request);
    if (found?.by !== 'cookie') return undefined;
    const { session } = found;
    return { session, formToken: await sealer.seal('form', { session: session.id }, clock.now() + FORM_MS) };
  }

  /** @throws {Refusal} for a form of another site, of another session, or of long ago */
  async #fromOwnForm(request: FastifyRequest, formToken: string): Promise<Session> {
    const { signedIn, sealer } = this.#options;
    const session = await signedIn.session(request);
    const opened = await sealer.open('form', formToken);
    if (opened?.['session'] !== session.id)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        'This form is too old, or of another sign-in. Load the page again.',
      );
    return session;
  }

  #askToSignIn(request: FastifyRequest, reply: FastifyReply, flow: Flow | undefined): FastifyReply {
    const { prettyName } = this.#options;
    // It comes back with the sign-in, in the place of the terminal's own.
    const sessionId = flow?.sessionId ?? 'page';
    const query = new URLSearchParams({ client_type: 'ui', session_id: sessionId, redirect_url: request.url });
    return this.#send(reply, 'Sign in', undefined, [
      h('h1', null, `Sign in to ${prettyName}`),
      h('p', null, 'You see what you may bind, and what each side agrees to by it, before anything happens.'),
      h('p', null, h('a', { class: 'button', href: `/api/authorize?${query.toString()}` }, 'Sign in')),
    ]);
  }

  #failed(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, message, headers } = refusalOf(error, request.id, this.#options.log);
    return this.#send(reply.code(status).headers(headers), 'Not done', undefined, [
      h('h1', null, 'This was not done'),
      h('p', null, message),
      h('p', null, h('a', { href: '/' }, 'To the catalogue')),
    ]);
  }

  #send(reply: FastifyReply, title: string, visit: Visit | undefined, body: ComponentChildren): FastifyReply {
    const { prettyName } = this.#options;
    const person =
      visit === undefined
        ? undefined
        : { name: visit.session.person.name ?? visit.session.person.subject, formToken: visit.formToken };
    return reply.type('text/html; charset=utf-8').send(documentOf({ title, prettyName, person, body }));
  }
}

/** Styles of our own, and no scripts at all. `answers`: where a form may lead besides; browsers hold the redirects that follow a form to this as well. */
function policy(answers = ''): string {
  const forms = `'self' ${answers}`.trim();
  return `default-src 'none'; style-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}
