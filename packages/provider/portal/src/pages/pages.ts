import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import { h } from 'preact';
import type { Sessions } from '../sessions.js';
import { type KlutchRoutesOptions, registerKlutchRoutes } from '../klutch/klutch-routes.js';
import { type BindRoutesOptions, registerBindRoutes } from './bind-routes.js';
import { type BindingRoutesOptions, registerBindingRoutes } from './binding-routes.js';
import { type DeviceRoutesOptions, registerDeviceRoutes } from './device-routes.js';
import { Frame, type FrameOptions, form, policy } from './frame.js';
import { type OperatorRoutesOptions, registerOperatorRoutes } from './operator-routes.js';
import { style, tabIcon } from './style.js';

export interface PagesOptions
  extends
    Omit<FrameOptions, 'operators'>,
    Omit<BindRoutesOptions, 'frame'>,
    Omit<BindingRoutesOptions, 'frame'>,
    Omit<OperatorRoutesOptions, 'frame'> {
  readonly sessions: Sessions;
  /** Undefined: sign-in by device code is off. */
  readonly device: Omit<DeviceRoutesOptions, 'frame'> | undefined;
  /** Undefined: Klutch is not served. */
  readonly klutch: Omit<KlutchRoutesOptions, 'frame'> | undefined;
}

/**
 * Registers the pages for browsers. Rendered on the server, complete without scripts; each form proves that it comes
 * from a page shown to this person.
 */
export async function registerPages(app: FastifyInstance, options: PagesOptions): Promise<void> {
  const frame = new Frame(options);
  await app.register(async (scope) => {
    await scope.register(formbody);
    scope.addHook('onRequest', async (_, reply) => {
      reply.header('content-security-policy', policy());
      // Without any referrer, browsers send forms without their origin, like other sites would.
      reply.header('referrer-policy', 'same-origin');
    });
    scope.setErrorHandler((error, request, reply) => frame.failed(error, request, reply));
    scope.get('/assets/portal.css', (_, reply) => reply.type('text/css').send(style));
    scope.get('/assets/portal.svg', (_, reply) => reply.type('image/svg+xml').send(tabIcon));
    registerBindRoutes(scope, { ...options, frame });
    registerBindingRoutes(scope, { ...options, frame });
    registerOperatorRoutes(scope, { ...options, frame });
    if (options.device !== undefined) registerDeviceRoutes(scope, { ...options.device, frame });
    if (options.klutch !== undefined) registerKlutchRoutes(scope, { ...options.klutch, frame });
    scope.post<{ Body: { form_token: string } }>(
      '/sign-out',
      { schema: { hide: true, body: form({}) } },
      async (request, reply) => {
        await frame.sender(request, request.body.form_token);
        await options.sessions.end(request, reply);
        return frame.send(reply, 'Signed out', undefined, [
          h('h1', null, 'You are signed out'),
          h('p', null, h('a', { class: 'button', href: '/' }, 'Sign in again')),
        ]);
      },
    );
  });
}
