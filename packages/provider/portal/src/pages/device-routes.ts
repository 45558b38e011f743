import type { FastifyInstance } from 'fastify';
import { type ComponentChildren, h } from 'preact';
import { whileAwaited } from '../answer.js';
import { type DeviceCodes, hashOfUserCode } from '../device-codes.js';
import { identityOf } from '../person.js';
import { text } from '../schemas.js';
import { APPROVED_PATH, type SignIn } from '../sign-in.js';
import { type Frame, type Visit, form } from './frame.js';
import { formTokenField } from './layout.js';

export interface DeviceRoutesOptions {
  readonly frame: Frame;
  readonly codes: Pick<DeviceCodes, 'approve'>;
  readonly signIn: Pick<SignIn, 'beginApproval'>;
  /** Renewal period of a terminal's login, as far as the identity provider permits. 0: none. */
  readonly refreshMs: number;
}

/** Path of the page for typing a terminal's code. */
export const DEVICE_PATH = '/device';

/** Registers the pages that sign in a terminal without a browser. */
export function registerDeviceRoutes(app: FastifyInstance, options: DeviceRoutesOptions): void {
  const { frame, codes, signIn, refreshMs } = options;
  app.get(DEVICE_PATH, { schema: { hide: true } }, async (request, reply) => {
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply);
    return frame.send(reply, 'Sign in a terminal', visit, devicePage(visit, refreshMs));
  });
  app.post<{ Body: { form_token: string; user_code: string } }>(
    DEVICE_PATH,
    { schema: { hide: true, body: form({ user_code: text(32) }) } },
    async (request, reply) => {
      const visit = await frame.sender(request, request.body.form_token);
      const { person, id: by } = visit.session;
      const hash = hashOfUserCode(request.body.user_code);
      if (refreshMs > 0) {
        const url = await signIn.beginApproval(request, reply, { hash, by, owner: identityOf(person) });
        return frame.send(reply, 'Confirm the terminal', visit, confirmPage(url, refreshMs));
      }
      await codes.approve(visit.session, { hash, by }, { requestId: request.id, signal: whileAwaited(reply) });
      return frame.send(reply, 'Terminal signed in', visit, donePage());
    },
  );
  app.get(APPROVED_PATH, { schema: { hide: true } }, async (request, reply) =>
    frame.send(reply, 'Terminal signed in', await frame.visit(request), donePage()),
  );
}

function donePage(): ComponentChildren {
  return [
    h('h1', null, 'The terminal goes on'),
    h('p', null, 'It is signed in within a few seconds. If it is not, the code was mistyped: try again.'),
  ];
}

function confirmPage(url: URL, refreshMs: number): ComponentChildren {
  return [
    h('h1', null, 'Confirm the terminal'),
    h(
      'p',
      null,
      `Your identity provider asks whether the portal may keep you signed in. If you agree, the terminal renews its login for ${lifeOf(refreshMs)}, until you run kubectl bind logout there.`,
    ),
    h('p', null, h('a', { class: 'button', href: url.href }, 'Go on')),
  ];
}

/** Duration in words, rounded up. */
function lifeOf(ms: number): string {
  const hours = Math.ceil(ms / 3_600_000);
  if (hours >= 48) return `${Math.ceil(hours / 24)} days`;
  return hours === 1 ? 'an hour' : `${hours} hours`;
}

function devicePage({ session, formToken }: Visit, refreshMs: number): ComponentChildren {
  const until =
    refreshMs > 0
      ? `for ${lifeOf(refreshMs)} at most`
      : `until ${new Date(session.expires).toISOString().slice(11, 16)} UTC`;
  return [
    h('h1', null, 'Sign in a terminal'),
    h(
      'p',
      null,
      `The terminal can then do what you can do here, ${until}: it binds, and gets the credentials of your clusters.`,
    ),
    h(
      'p',
      { class: 'box waits' },
      'Type only a code that your own terminal shows, from a kubectl bind login that you have just started. Nobody else has a reason to give you one.',
    ),
    h(
      'form',
      { method: 'post', action: DEVICE_PATH, class: 'box' },
      formTokenField(formToken),
      h('label', { for: 'user_code' }, 'Code'),
      h('input', {
        type: 'text',
        id: 'user_code',
        name: 'user_code',
        required: true,
        maxLength: 32,
        autoComplete: 'off',
        autoCapitalize: 'characters',
        spellCheck: false,
      }),
      h('p', null, h('button', { type: 'submit' }, 'Sign the terminal in')),
    ),
  ];
}
