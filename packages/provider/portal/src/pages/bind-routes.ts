import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal, whileAwaited } from '../answer.js';
import type { OneClick } from '../apply/one-click.js';
import type { Asked, Binder, Wish } from '../binder.js';
import { yamlOf } from '../bundle.js';
import type { AwaitedBundle, BundleOffer, Bundles } from '../bundles.js';
import type { Catalogue } from '../catalogue.js';
import type { Consumers } from '../consumers.js';
import { bundleCode, claimIdText, kubeconfigText, objectName, optionalText } from '../schemas.js';
import { appliedPage, bundlePage } from './bundle-page.js';
import { cataloguePage } from './catalogue-page.js';
import { type Flow, type FlowQuery, answerOf, codeFor, flowOf } from './flow.js';
import { type Frame, type Visit, form, policy } from './frame.js';
import { iconOf } from './icon.js';
import { templatePage } from './template-page.js';

export interface BindRoutesOptions {
  readonly frame: Frame;
  readonly catalogue: Catalogue;
  readonly consumers: Consumers;
  readonly binder: Binder;
  readonly bundles: Bundles;
  readonly publicUrl: URL;
  /** Whether a terminal may receive its answer at a loopback address. */
  readonly terminals: boolean;
  /** Undefined: one-click apply is off. */
  readonly oneClick: Pick<OneClick, 'apply'> | undefined;
}

type Query = FlowQuery & { readonly q?: string };

interface BindForm {
  readonly form_token: string;
  readonly name: string;
  readonly cluster?: string;
  readonly cluster_name?: string;
  /** One form field, or several of that name. */
  readonly claim?: string | readonly string[];
}

interface OfTemplate {
  Querystring: Query;
  Params: { template: string };
}

const querystring = {
  type: 'object',
  properties: {
    q: optionalText(200),
    redirect_url: optionalText(1024),
    session_id: optionalText(128),
    consumer_id: optionalText(1024),
    answer: optionalText(16),
    cluster_id: optionalText(0),
  },
};
const params = { type: 'object', required: ['template'], properties: { template: optionalText(253) } };
const bindForm = form(
  { name: objectName },
  {
    cluster: optionalText(1024),
    cluster_name: optionalText(253),
    claim: { anyOf: [claimIdText, { type: 'array', maxItems: 64, items: claimIdText }] },
  },
);

/** Registers the pages from the catalogue to the bundle. */
export function registerBindRoutes(app: FastifyInstance, options: BindRoutesOptions): void {
  const routes = new BindRoutes(options);
  app.get<{ Querystring: Query }>('/', { schema: { hide: true, querystring } }, (request, reply) =>
    routes.showCatalogue(request, reply),
  );
  app.get<OfTemplate>('/templates/:template', { schema: { hide: true, querystring, params } }, (request, reply) =>
    routes.showTemplate(request, reply),
  );
  app.get<OfTemplate>('/templates/:template/icon', { schema: { hide: true, params } }, (request, reply) =>
    routes.showIcon(request, reply),
  );
  app.post<OfTemplate & { Body: BindForm }>(
    '/templates/:template',
    { schema: { hide: true, querystring, params, body: bindForm } },
    (request, reply) => routes.bind(request, reply),
  );
  app.post<{ Body: { form_token: string; code: string } }>(
    '/bundle',
    { schema: { hide: true, body: form({ code: bundleCode }) } },
    async (request, reply) => {
      const { form_token: token, code } = request.body;
      await options.frame.sender(request, token);
      const { binding, objects } = await options.bundles.exchange(code, askedOf(request, reply));
      return reply
        .type('application/yaml')
        .header('content-disposition', `attachment; filename="${binding}.yaml"`)
        .send(yamlOf(objects));
    },
  );
  if (options.oneClick !== undefined) registerApply(app, options.frame, options.oneClick);
}

interface ApplyForm {
  readonly form_token: string;
  readonly code: string;
  readonly binding: string;
  readonly kubeconfig: string;
}

function registerApply(app: FastifyInstance, frame: Frame, oneClick: Pick<OneClick, 'apply'>): void {
  app.post<{ Body: ApplyForm }>(
    '/bundle/apply',
    { schema: { hide: true, body: form({ code: bundleCode, binding: objectName, kubeconfig: kubeconfigText }) } },
    async (request, reply) => {
      const { form_token: token, code, binding, kubeconfig } = request.body;
      const visit = await frame.sender(request, token);
      await oneClick.apply(visit.session.person, { kubeconfig, code, binding }, askedOf(request, reply));
      return frame.send(reply, `${binding} is applied`, visit, appliedPage(binding));
    },
  );
}

class BindRoutes {
  readonly #options: BindRoutesOptions;

  constructor(options: BindRoutesOptions) {
    this.#options = options;
  }

  async showCatalogue(request: FastifyRequest<{ Querystring: Query }>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, catalogue } = this.#options;
    const flow = this.#flowOf(request.query);
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply, flow?.sessionId);
    const { person } = visit.session;
    const [templates, collections] = await Promise.all([catalogue.templates(person), catalogue.collections(person)]);
    const search = (request.query.q ?? '').trim();
    return frame.send(reply, 'Catalogue', visit, cataloguePage({ templates, collections, search, flow }));
  }

  async showTemplate(request: FastifyRequest<OfTemplate>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, catalogue, consumers, publicUrl } = this.#options;
    const flow = this.#flowOf(request.query);
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply, flow?.sessionId);
    const signal = whileAwaited(reply);
    const { formToken, session } = visit;
    const template = await catalogue.template(session.person, request.params.template, signal);
    const apis = await catalogue.apis(template, signal);
    const clusters = flow === undefined ? await consumers.clustersOf(session.person, signal) : [];
    reply.header('content-security-policy', policy({ answers: flow?.redirect.origin }));
    const body = templatePage({ template, apis, flow, formToken, publicUrl, clusters });
    return frame.send(reply, template.metadata.name, visit, body);
  }

  async showIcon(request: FastifyRequest<OfTemplate>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, catalogue } = this.#options;
    const visit = await frame.visit(request);
    const { template: name } = request.params;
    const icon =
      visit === undefined
        ? undefined
        : iconOf(await catalogue.template(visit.session.person, name, whileAwaited(reply)));
    if (icon === undefined) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such picture.');
    return reply.header('cache-control', 'private, max-age=60').type(icon.type).send(icon.bytes);
  }

  async bind(request: FastifyRequest<OfTemplate & { Body: BindForm }>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, binder } = this.#options;
    const visit = await frame.sender(request, request.body.form_token);
    const flow = this.#flowOf(request.query);
    if (flow === undefined) return this.#offer(request, reply, visit);
    const { name } = request.body;
    const cluster = { identity: flow.consumerId, prettyName: name };
    const wish = { name, template: request.params.template, cluster };
    if (flow.byCode) {
      const { code } = await this.#offered(request, reply, visit, wish);
      return reply.redirect(codeFor(flow, code).href, 303);
    }
    const response = await binder.bind(visit.session, wish, askedOf(request, reply));
    return reply.redirect(answerOf(flow, response).href, 303);
  }

  /** No terminal waits for the kubeconfig: the person carries it to the cluster, by a code. */
  async #offer(
    request: FastifyRequest<OfTemplate & { Body: BindForm }>,
    reply: FastifyReply,
    visit: Visit,
  ): Promise<FastifyReply> {
    const { frame } = this.#options;
    const { name, cluster = '', cluster_name: clusterName = '' } = request.body;
    const identity = cluster.trim();
    if (identity === '') throw new Refusal(400, 'BAD_REQUEST', 'Name the cluster to bind in the field Your cluster.');
    const wish = {
      name,
      template: request.params.template,
      cluster: { identity, prettyName: clusterName.trim() === '' ? identity : clusterName.trim() },
    };
    const offer = await this.#offered(request, reply, visit, wish);
    const title = 'serviceAccount' in offer ? `Bring ${name} to your cluster` : `${name} is bound`;
    return frame.send(
      reply,
      title,
      visit,
      bundlePage({ offer, formToken: visit.formToken, applies: this.#options.oneClick !== undefined }),
    );
  }

  async #offered(
    request: FastifyRequest<OfTemplate & { Body: BindForm }>,
    reply: FastifyReply,
    { session: { person } }: Visit,
    wish: Wish,
  ): Promise<BundleOffer | AwaitedBundle> {
    const { bundles } = this.#options;
    const accepted = [request.body.claim ?? []].flat();
    const asked = askedOf(request, reply);
    const awaited = await bundles.offerAwaitingProof(person, wish, accepted, asked);
    return awaited ?? bundles.offer(person, wish, accepted, asked);
  }

  #flowOf(query: FlowQuery): Flow | undefined {
    return flowOf(query, this.#options.publicUrl, this.#options.terminals);
  }
}

function askedOf(request: FastifyRequest, reply: FastifyReply): Asked {
  return { requestId: request.id, signal: whileAwaited(reply) };
}
