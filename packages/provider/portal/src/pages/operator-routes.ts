import { dialects } from '@hawser/klutch';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ComponentChildren } from 'preact';
import { Refusal, whileAwaited } from '../answer.js';
import { type OfBinding, bindingParams } from '../bindings/binding-api.js';
import type { Operators, SchemaDecision } from '../operators/operators.js';
import { optionalText, text } from '../schemas.js';
import { consumerPage, consumersPage } from './consumers-page.js';
import { type Frame, type Visit, form } from './frame.js';
import { objectPage } from './object-page.js';
import { objectsPage } from './objects-page.js';
import { schemasPage } from './schemas-page.js';

export interface OperatorRoutesOptions {
  readonly frame: Frame;
  readonly operators: Operators;
}

interface OfConsumer {
  Params: { namespace: string };
}

const params = { type: 'object', required: ['namespace'], properties: { namespace: optionalText(253) } };

const objectParams = {
  ...bindingParams,
  required: [...bindingParams.required, 'uid'],
  properties: { ...bindingParams.properties, uid: optionalText(128) },
};

/** Registers the operators' pages: all consumers, and pending decisions. */
export function registerOperatorRoutes(app: FastifyInstance, { frame, operators }: OperatorRoutesOptions): void {
  const page = (
    path: string,
    title: string,
    body: (visit: Visit, reply: FastifyReply, parameters: unknown) => Promise<ComponentChildren>,
    schema: object = {},
  ): void => {
    app.get(path, { schema: { hide: true, ...schema } }, async (request, reply) => {
      const visit = await frame.visit(request);
      if (visit === undefined) return frame.askToSignIn(request, reply);
      return frame.send(reply, title, visit, await body(visit, reply, request.params));
    });
  };
  page('/consumers', 'Consumers', async ({ session, formToken }, reply) =>
    consumersPage(await operators.overview(session.person, whileAwaited(reply)), formToken),
  );
  page(
    '/consumers/:namespace',
    'Consumer',
    async ({ session }, reply, parameters) => {
      const { namespace } = parameters as OfConsumer['Params'];
      const found = (await operators.consumers(session.person, whileAwaited(reply))).find(
        (one) => one.namespace === namespace,
      );
      if (found === undefined) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such consumer.');
      return consumerPage(found);
    },
    { params },
  );
  page(
    '/consumers/:namespace/:name',
    'Objects',
    async ({ session }, reply, parameters) => {
      const { namespace, name } = parameters as OfBinding['Params'];
      return objectsPage(namespace, await operators.objects(session.person, namespace, name, whileAwaited(reply)));
    },
    { params: bindingParams },
  );
  page(
    '/consumers/:namespace/:name/:uid',
    'Object',
    async ({ session }, reply, parameters) => {
      const { namespace, name, uid } = parameters as OfBinding['Params'] & { readonly uid: string };
      const story = await operators.object(session.person, { namespace, name, uid }, whileAwaited(reply));
      return objectPage(namespace, story);
    },
    { params: objectParams },
  );
  page('/schemas', 'Held schemas', async ({ session, formToken }, reply) =>
    schemasPage(await operators.heldSchemas(session.person, whileAwaited(reply)), formToken),
  );
  app.post<OfConsumer & { Body: { form_token: string; template: string } }>(
    '/consumers/:namespace/approve',
    { schema: { hide: true, params, body: form({ template: text(320) }) } },
    async (request, reply) => {
      const { session } = await frame.sender(request, request.body.form_token);
      const asked = { requestId: request.id, signal: whileAwaited(reply) };
      await operators.approve(session.person, request.params.namespace, request.body.template, asked);
      return reply.redirect('/consumers', 303);
    },
  );
  const decision = { namespace: text(253), name: text(253), hash: text(128), word: { enum: ['approve', 'reject'] } };
  app.post<{ Body: { form_token: string } & SchemaDecision }>(
    '/schemas',
    { schema: { hide: true, body: form(decision, { dialect: { enum: dialects.map(({ name }) => name) } }) } },
    async (request, reply) => {
      const { form_token: token, ...schemaDecision } = request.body;
      const { session } = await frame.sender(request, token);
      await operators.decideSchema(session.person, schemaDecision, {
        requestId: request.id,
        signal: whileAwaited(reply),
      });
      return reply.redirect('/schemas', 303);
    },
  );
}
