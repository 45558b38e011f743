import type { Clock } from '@hawser/clock';
import { apiVersion } from '@hawser/kube-bind';
import type { FastifyInstance } from 'fastify';
import { stateOf } from '@hawser/consumer-states';
import { whileAwaited } from '../answer.js';
import type { Operators } from '../operators/operators.js';
import { describe, optionalText } from '../schemas.js';
import type { SignedIn } from '../signed-in.js';
import type { BindingReader } from './binding-reader.js';
import type { CredentialAction, CredentialActions } from './credential-actions.js';

/** Path parameters of a binding. */
export interface OfBinding {
  Params: { namespace: string; name: string };
}

/** Path parameters of a binding, in JSON Schema. */
export const bindingParams = {
  type: 'object',
  required: ['namespace', 'name'],
  properties: { namespace: optionalText(253), name: optionalText(253) },
};

const clusterParams = {
  type: 'object',
  required: ['namespace'],
  properties: { namespace: optionalText(253) },
};
const credentialBody = {
  type: 'object',
  required: ['action'],
  properties: { action: { enum: ['replace', 'revoke', 'restore'] } },
};

export interface BindingApiOptions {
  readonly reader: BindingReader;
  readonly operators: Operators;
  readonly credentials: CredentialActions;
  readonly signedIn: SignedIn;
  readonly clock: Clock;
}

/** Registers the API for programs: a person's bindings, and all bindings for operators, as on the pages. */
export function registerBindingApi(
  app: FastifyInstance,
  { reader, operators, credentials, signedIn, clock }: BindingApiOptions,
): void {
  app.get(
    '/api/consumers',
    { schema: describe('All consumers, the worst first; for who may list ClusterBindings.') },
    async (request, reply) => {
      const { person } = await signedIn.session(request);
      const { provider, consumers: items } = await operators.overview(person, whileAwaited(reply));
      return { apiVersion, kind: 'ConsumerStateList', metadata: {}, provider, items };
    },
  );
  app.get('/api/bindings', { schema: describe('Your bindings, and how they stand.') }, async (request, reply) => {
    const { person } = await signedIn.session(request);
    const found = await reader.ofPerson(person, whileAwaited(reply));
    const items = found.map((facts) => stateOf(facts, undefined, clock.now()));
    return { apiVersion, kind: 'BindingStateList', metadata: {}, items };
  });
  app.get<OfBinding>(
    '/api/bindings/:namespace/:name',
    {
      schema: describe('One of your bindings, with the copies that it has on the provider.', { params: bindingParams }),
    },
    async (request, reply) => {
      const { person } = await signedIn.session(request);
      const { namespace, name } = request.params;
      const signal = whileAwaited(reply);
      const facts = await reader.one(person, namespace, name, signal);
      return { apiVersion, kind: 'BindingState', ...stateOf(facts, await reader.copies(facts, signal), clock.now()) };
    },
  );
  app.post<{ Params: { namespace: string }; Body: { action: CredentialAction } }>(
    '/api/clusters/:namespace/credential',
    {
      schema: describe('Replaces, revokes or restores the credential of one of your clusters.', {
        params: clusterParams,
        body: credentialBody,
      }),
    },
    async (request, reply) => {
      const { person } = await signedIn.session(request);
      const signal = whileAwaited(reply);
      const consumer = await reader.consumer(person, request.params.namespace, signal);
      await credentials.do(request.body.action, person, consumer, { requestId: request.id, signal });
      return reply.code(202).send({ namespace: consumer.namespace, action: request.body.action });
    },
  );
}
