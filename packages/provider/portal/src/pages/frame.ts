import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ComponentChildren, h } from 'preact';
import { Refusal, refusalOf } from '../answer.js';
import type { Operators } from '../operators/operators.js';
import type { Sealer } from '../seal.js';
import type { Session } from '../session.js';
import type { SignedIn } from '../signed-in.js';
import { documentOf } from './layout.js';

export interface FrameOptions {
  readonly signedIn: SignedIn;
  readonly operators: Pick<Operators, 'isOperator'>;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly prettyName: string;
  readonly log: Logger;
}

/** A page that somebody looks at who has signed in in this browser. */
export interface Visit {
  readonly session: Session;
  /** For the forms of the page. */
  readonly formToken: string;
  /** Whether pages of operators are named to them. */
  readonly isOperator: boolean;
}

const FORM_MS = 3_600_000;

/** What all pages have in common: who looks at them, what their forms prove, and how they are sent. */
export class Frame {
  readonly #options: FrameOptions;

  constructor(options: FrameOptions) {
    this.#options = options;
  }

  /** Undefined for one who has not signed in in this browser. */
  async visit(request: FastifyRequest): Promise<Visit | undefined> {
    const { signedIn } = this.#options;
    const found = await signedIn.find(request);
    return found?.by === 'cookie' ? this.#visitOf(found.session) : undefined;
  }

  /** The sender of a form. @throws {Refusal} for a form of another site, of another session, or of long ago */
  async sender(request: FastifyRequest, formToken: string): Promise<Visit> {
    const { signedIn, sealer } = this.#options;
    const session = await signedIn.session(request);
    const opened = await sealer.open('form', formToken);
    if (opened?.['session'] !== session.id)
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        'This form is too old, or of another sign-in. Load the page again.',
      );
    return this.#visitOf(session);
  }

  /** `sessionId`: of a terminal that waits. It comes back with the sign-in, in the place of one of the page's own. */
  askToSignIn(request: FastifyRequest, reply: FastifyReply, sessionId = 'page'): FastifyReply {
    const { prettyName } = this.#options;
    const query = new URLSearchParams({ client_type: 'ui', session_id: sessionId, redirect_url: request.url });
    return this.send(reply, 'Sign in', undefined, [
      h('h1', null, `Sign in to ${prettyName}`),
      h('p', null, 'You see what you may bind, and what each side agrees to by it, before anything happens.'),
      h('p', null, h('a', { class: 'button', href: `/api/authorize?${query.toString()}` }, 'Sign in')),
    ]);
  }

  failed(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { status, message, headers } = refusalOf(error, request.id, this.#options.log);
    return this.send(reply.code(status).headers(headers), 'Not done', undefined, [
      h('h1', null, 'This was not done'),
      h('p', null, message),
      h('p', null, h('a', { href: '/' }, 'To the catalogue')),
    ]);
  }

  send(reply: FastifyReply, title: string, visit: Visit | undefined, body: ComponentChildren): FastifyReply {
    const { prettyName } = this.#options;
    const person =
      visit === undefined ? undefined : { name: visit.session.person.name ?? visit.session.person.subject, ...visit };
    return reply.type('text/html; charset=utf-8').send(documentOf({ title, prettyName, person, body }));
  }

  async #visitOf(session: Session): Promise<Visit> {
    const { sealer, clock, operators } = this.#options;
    const [formToken, isOperator] = await Promise.all([
      sealer.seal('form', { session: session.id }, clock.now() + FORM_MS),
      // Where the API server cannot be asked, the page itself says so.
      operators.isOperator(session.person).catch(() => false),
    ]);
    return { session, formToken, isOperator };
  }
}

/** What a form of these pages holds, in JSON Schema. */
export function form(required: object, optional: object = {}): object {
  return {
    type: 'object',
    required: ['form_token', ...Object.keys(required)],
    properties: { form_token: { type: 'string', maxLength: 4_096 }, ...required, ...optional },
  };
}

/** What a page may do besides showing itself. */
export interface Allowed {
  /** Where a form may lead besides; browsers hold the redirects that follow a form to this as well. */
  readonly answers?: string | undefined;
  /** It follows what happens, by a script of ours. */
  readonly live?: boolean;
}

/** Styles of our own, and scripts of our own only where a page is live. */
export function policy({ answers = '', live = false }: Allowed = {}): string {
  const forms = `'self' ${answers}`.trim();
  const scripts = live ? " script-src 'self'; connect-src 'self';" : '';
  return `default-src 'none'; img-src 'self'; style-src 'self';${scripts} form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}
