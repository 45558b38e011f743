import { Readable } from 'node:stream';
import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type BindingState, stateOf } from '@hawser/consumer-states';
import { Refusal, whileAwaited } from '../answer.js';
import { type OfBinding, bindingParams } from '../bindings/binding-api.js';
import type { BindingReader } from '../bindings/binding-reader.js';
import { type CredentialAction, type CredentialActions, mayRestore } from '../bindings/credential-actions.js';
import { isSettled, progressOf } from '../bindings/progress.js';
import { StreamSlots } from '../bindings/stream-slots.js';
import { identityOf } from '../person.js';
import type { SignedIn } from '../signed-in.js';
import { objectName, optionalText } from '../schemas.js';
import { bindingPage, progressFragment, progressScript } from './binding-page.js';
import { bindingPath, bindingsPage } from './bindings-page.js';
import { type Frame, form, policy } from './frame.js';

export interface BindingRoutesOptions {
  readonly frame: Frame;
  readonly reader: BindingReader;
  readonly credentials: CredentialActions;
  readonly signedIn: SignedIn;
  readonly clock: Clock;
  readonly log: Logger;
}

interface CredentialForm {
  readonly form_token: string;
  readonly action: CredentialAction;
  readonly binding: string;
}

/** Maximum number for all people, and for one. Beyond it the page shows the state at its load. */
const MOST_STREAMS = 200;
const MOST_STREAMS_OF_ONE = 8;

/** Registers the pages about a person's bindings. */
export function registerBindingRoutes(app: FastifyInstance, options: BindingRoutesOptions): void {
  const routes = new BindingRoutes(options);
  const ending = new AbortController();
  // A stopping server waits for its answers.
  app.addHook('preClose', (done) => {
    ending.abort();
    done();
  });
  app.get('/assets/progress.js', (_, reply) => reply.type('text/javascript').send(progressScript));
  app.get('/bindings', { schema: { hide: true } }, (request, reply) => routes.showAll(request, reply));
  app.get<OfBinding>(
    '/bindings/:namespace/:name',
    { schema: { hide: true, params: bindingParams } },
    (request, reply) => routes.showOne(request, reply),
  );
  app.get<OfBinding>(
    '/bindings/:namespace/:name/events',
    { schema: { hide: true, params: bindingParams } },
    (request, reply) => routes.stream(request, reply, ending.signal),
  );
  app.post<{ Params: { namespace: string }; Body: CredentialForm }>(
    '/clusters/:namespace/credential',
    {
      schema: {
        hide: true,
        params: { type: 'object', required: ['namespace'], properties: { namespace: optionalText(253) } },
        body: form({ action: { enum: ['replace', 'revoke', 'restore'] }, binding: objectName }),
      },
    },
    (request, reply) => routes.act(request, reply),
  );
}

class BindingRoutes {
  readonly #options: BindingRoutesOptions;
  readonly #slots = new StreamSlots(MOST_STREAMS, MOST_STREAMS_OF_ONE);

  constructor(options: BindingRoutesOptions) {
    this.#options = options;
  }

  async showAll(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, reader, clock } = this.#options;
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply);
    const found = await reader.ofPerson(visit.session.person, whileAwaited(reply));
    const states = found.map((facts) => stateOf(facts, undefined, clock.now()));
    return frame.send(reply, 'My bindings', visit, bindingsPage(states));
  }

  async showOne(request: FastifyRequest<OfBinding>, reply: FastifyReply): Promise<FastifyReply> {
    const { frame, reader, clock } = this.#options;
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply);
    const { namespace, name } = request.params;
    const signal = whileAwaited(reply);
    const facts = await reader.one(visit.session.person, namespace, name, signal);
    const state = stateOf(facts, await reader.copies(facts, signal), clock.now());
    reply.header('content-security-policy', policy({ live: true }));
    const { formToken } = visit;
    return frame.send(reply, name, visit, bindingPage({ state, formToken, mayRestore: mayRestore(facts.consumer) }));
  }

  /** Server-Sent Events: the changed part of the page, as HTML. */
  async stream(request: FastifyRequest<OfBinding>, reply: FastifyReply, ending: AbortSignal): Promise<FastifyReply> {
    const { frame, reader, signedIn, clock } = this.#options;
    const visit = await frame.visit(request);
    if (visit === undefined) throw new Refusal(401, 'AUTHENTICATION_FAILED', 'Sign in first.');
    const { person } = visit.session;
    const release = this.#slots.take(identityOf(person));
    // A browser without a stream does not reconnect.
    if (release === undefined) return reply.code(204).send();
    reply.raw.once('close', release);
    const { namespace, name } = request.params;
    const signal = AbortSignal.any([whileAwaited(reply), ending]);
    const read = async (): Promise<BindingState> => {
      const facts = await reader.one(person, namespace, name, signal);
      return stateOf(facts, await reader.copies(facts, signal), clock.now());
    };
    const again = async (): Promise<BindingState> => {
      // A signed-out person sees no more of it.
      await signedIn.session(request);
      return read();
    };
    const states = progressOf(await read(), again, clock, signal);
    // A stopping server waits for kept connections.
    reply.header('connection', 'close');
    return reply.type('text/event-stream').send(Readable.from(this.#events(states, request.id, signal)));
  }

  async *#events(states: AsyncIterable<BindingState>, requestId: string, signal: AbortSignal): AsyncGenerator<string> {
    yield 'retry: 2000\n\n';
    try {
      for await (const state of states) {
        yield message(progressFragment(state));
        if (isSettled(state)) yield 'event: end\ndata: settled\n\n';
      }
    } catch (error) {
      // The browser reconnects, and receives the reason.
      if (!(error instanceof Refusal) && !signal.aborted)
        this.#options.log.warn('a stream of a binding has ended', { requestId, error });
    }
  }

  async act(
    request: FastifyRequest<{ Params: { namespace: string }; Body: CredentialForm }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { frame, reader, credentials } = this.#options;
    const { form_token: token, action, binding } = request.body;
    const { session } = await frame.sender(request, token);
    const signal = whileAwaited(reply);
    const consumer = await reader.consumer(session.person, request.params.namespace, signal);
    await credentials.do(action, session.person, consumer, { requestId: request.id, signal });
    return reply.redirect(bindingPath({ namespace: consumer.namespace, name: binding }), 303);
  }
}

function message(html: string): string {
  return `data: ${JSON.stringify(html)}\n\n`;
}
