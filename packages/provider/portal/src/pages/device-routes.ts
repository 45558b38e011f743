import type { Logger } from '@hawser/telemetry';
import type { FastifyInstance } from 'fastify';
import { type ComponentChildren, h } from 'preact';
import { whileAwaited } from '../answer.js';
import type { DeviceCodes } from '../device-codes.js';
import { identityOf } from '../person.js';
import { text } from '../schemas.js';
import { type Frame, type Visit, form } from './frame.js';
import { formTokenField } from './layout.js';

export interface DeviceRoutesOptions {
  readonly frame: Frame;
  readonly codes: Pick<DeviceCodes, 'approve'>;
  readonly audit: Logger;
}

/** Where a person types the code that a terminal shows. */
export const DEVICE_PATH = '/device';

/** The page that signs in a terminal which no browser reaches. */
export function registerDeviceRoutes(app: FastifyInstance, { frame, codes, audit }: DeviceRoutesOptions): void {
  app.get(DEVICE_PATH, { schema: { hide: true } }, async (request, reply) => {
    const visit = await frame.visit(request);
    if (visit === undefined) return frame.askToSignIn(request, reply);
    return frame.send(reply, 'Sign in a terminal', visit, devicePage(visit));
  });
  app.post<{ Body: { form_token: string; user_code: string } }>(
    DEVICE_PATH,
    { schema: { hide: true, body: form({ user_code: text(32) }) } },
    async (request, reply) => {
      const visit = await frame.sender(request, request.body.form_token);
      const { person } = visit.session;
      await codes.approve(visit.session, request.body.user_code, whileAwaited(reply));
      audit.info('approved the sign-in of a terminal', { person: identityOf(person), requestId: request.id });
      return frame.send(reply, 'Terminal signed in', visit, [
        h('h1', null, 'The terminal goes on'),
        h('p', null, 'It is signed in within a few seconds. If it is not, the code was mistyped: try again.'),
      ]);
    },
  );
}

function devicePage({ session, formToken }: Visit): ComponentChildren {
  const until = `${new Date(session.expires).toISOString().slice(11, 16)} UTC`;
  return [
    h('h1', null, 'Sign in a terminal'),
    h(
      'p',
      null,
      `The terminal can then do what you can do here, until ${until}: it binds, and gets the credentials of your clusters.`,
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
