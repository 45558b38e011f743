import type { Clock } from '@hawser/clock';
import type { FastifyInstance } from 'fastify';
import { Refusal, whileAwaited } from './answer.js';
import type { DeviceCodes } from './device-codes.js';
import { DEVICE_PATH } from './pages/device-routes.js';
import { describe, deviceSchema, deviceTokenSchema } from './schemas.js';
import { tokenAnswer } from './token-answer.js';

export interface DeviceApiOptions {
  readonly codes: Pick<DeviceCodes, 'begin' | 'take'>;
  readonly clock: Clock;
  readonly publicUrl: URL;
}

/** Polling period of a terminal. */
const INTERVAL_SECONDS = 2;

/** Registers the API for terminals without a browser. Follows RFC 8628, with the errors of this API. */
export function registerDeviceApi(app: FastifyInstance, { codes, clock, publicUrl }: DeviceApiOptions): void {
  app.post<{ Body: { code_challenge: string } }>(
    '/api/device',
    { schema: describe('Begins the sign-in of a terminal without a browser.', { body: deviceSchema }) },
    async ({ body }, reply) => {
      const { deviceCode, userCode, expiresInSeconds } = await codes.begin(body.code_challenge);
      return reply.header('cache-control', 'no-store').send({
        device_code: deviceCode,
        user_code: userCode,
        verification_uri: new URL(DEVICE_PATH, publicUrl).href,
        expires_in: expiresInSeconds,
        interval: INTERVAL_SECONDS,
      });
    },
  );
  app.post<{ Body: { device_code: string; code_verifier: string } }>(
    '/api/device/token',
    {
      schema: describe('The token of a terminal without a browser, once; 202 while nobody has approved it.', {
        body: deviceTokenSchema,
      }),
    },
    async ({ body }, reply) => {
      reply.header('cache-control', 'no-store');
      const outcome = await codes.take(body.device_code, body.code_verifier, whileAwaited(reply));
      switch (outcome.kind) {
        case 'pending':
          return reply.code(202).send({ status: 'pending', interval: INTERVAL_SECONDS });
        case 'signedIn':
          return reply.send(tokenAnswer(outcome.token, clock.now()));
        case 'refused':
          throw new Refusal(
            400,
            'AUTHENTICATION_FAILED',
            'This sign-in was begun more than ten minutes ago, has been finished, or belongs to another terminal. Sign in again.',
          );
      }
    },
  );
}
