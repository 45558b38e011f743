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

/** A page view of a person signed in in this browser. */
export interface Visit {
  readonly session: Session;
  /** Token for the page's forms. */
  readonly formToken: string;
  /** Whether to show the operators' pages. */
  readonly isOperator: boolean;
}

const FORM_MS = 3_600_000;

/** Common parts of all pages: the viewer, form tokens, and sending. */
export class Frame {
  readonly #options: FrameOptions;

  constructor(options: FrameOptions) {
    this.#options = options;
  }

  /** Undefined without a sign-in in this browser. */
  async visit(request: FastifyRequest): Promise<Visit | undefined> {
    const { signedIn } = this.#options;
    const found = await signedIn.find(request);
    return found?.by === 'cookie' ? this.#visitOf(found.session) : undefined;
  }

  /** The sender of a form. @throws {Refusal} for a form of another site or session, or an expired one */
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

  /** `sessionId`: of a waiting terminal. It returns with the sign-in, instead of the page's own. */
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
      // While the API server is out of reach, the page itself says so.
      operators.isOperator(session.person).catch(() => false),
    ]);
    return { session, formToken, isOperator };
  }
}

/** JSON Schema for the fields of a form. */
export function form(required: object, optional: object = {}): object {
  return {
    type: 'object',
    required: ['form_token', ...Object.keys(required)],
    properties: { form_token: { type: 'string', maxLength: 4_096 }, ...required, ...optional },
  };
}

/** Permissions of a page besides its own display. */
export interface Allowed {
  /** Additional form target; browsers apply it also to redirects after a form. */
  readonly answers?: string | undefined;
  /** The page updates live, with our script. */
  readonly live?: boolean;
}

/** Content Security Policy: our own styles, and our own scripts only on live pages. */
export function policy({ answers = '', live = false }: Allowed = {}): string {
  const forms = `'self' ${answers}`.trim();
  const scripts = live ? " script-src 'self'; connect-src 'self';" : '';
  return `default-src 'none'; img-src 'self'; style-src 'self';${scripts} form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}
