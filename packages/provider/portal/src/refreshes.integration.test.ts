import { createHash, randomBytes } from 'node:crypto';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser } from './testing/browser.js';
import { Lab } from './testing/lab.js';

interface Answer {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_in: number;
  readonly subject: string;
}

describeWithControlPlane(
  'the login of a terminal',
  () => {
    let lab: Lab;
    beforeAll(async () => {
      lab = await Lab.open();
    });
    afterAll(() => lab.close());
    beforeEach(() => lab.begin());
    afterEach(() => lab.end());

    const post = (path: string, body: object) =>
      new Browser().request(`${lab.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const renew = (refreshToken: string) =>
      post('/api/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
    const signIn = async (): Promise<Answer> => {
      const verifier = randomBytes(32).toString('base64url');
      const { location } = await new Browser().follow(
        lab.authorize({
          client_type: 'cli',
          redirect_url: 'http://127.0.0.1:39999/callback',
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
        (at) => at.port === '39999',
      );
      const code = new URL(location).searchParams.get('code') ?? '';
      const answer = await post('/api/token', { grant_type: 'authorization_code', code, code_verifier: verifier });
      expect(answer.status).toBe(200);
      return JSON.parse(answer.text) as Answer;
    };
    const ping = async (token: string): Promise<number> =>
      (await new Browser().request(`${lab.url}/api/ping`, { headers: { authorization: `Bearer ${token}` } })).status;
    const templates = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const { text } = await new Browser().request(`${lab.url}/api/templates`, { headers });
      return (JSON.parse(text) as { readonly items: readonly unknown[] }).items.length;
    };

    it('is renewed without a browser, with the groups that the person is in now', async () => {
      await lab.start({ refreshMs: 86_400_000 });
      const first = await signIn();
      expect(await templates(first.access_token)).toBe(1);
      lab.idp.change('jane', { subject: 'jane', groups: [] });
      const answer = await renew(first.refresh_token ?? '');
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      const next = JSON.parse(answer.text) as Required<Answer>;
      expect(next).toMatchObject({ subject: 'jane', token_type: 'Bearer' });
      expect(await templates(next.access_token)).toBe(0);
      expect((await renew(next.refresh_token)).status).toBe(200);
    });

    it('ends with the account of the person, and when its refresh token comes a second time', async () => {
      await lab.start({ refreshMs: 86_400_000 });
      const gone = await signIn();
      lab.idp.change('jane', undefined);
      expect((await renew(gone.refresh_token ?? '')).status).toBe(401);
      const stolen = await signIn();
      const { access_token: renewed } = JSON.parse((await renew(stolen.refresh_token ?? '')).text) as Answer;
      expect(await ping(renewed)).toBe(200);
      expect((await renew(stolen.refresh_token ?? '')).status).toBe(401);
      await eventually(async () => {
        expect([await ping(renewed), await ping(stolen.access_token)]).toEqual([401, 401]);
      });
    });

    it('is not renewed after a sign-out, nor by what is sealed for something else', async () => {
      await lab.start({ refreshMs: 86_400_000 });
      const { access_token: token, refresh_token: refreshToken = '' } = await signIn();
      expect(await ping(refreshToken)).toBe(401);
      expect((await renew(token)).status).toBe(401);
      await new Browser().request(`${lab.url}/api/logout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      await eventually(async () => {
        expect((await renew(refreshToken)).status).toBe(401);
      });
    });

    it('is not renewed where that is not switched on, nor longer than that says', async () => {
      await lab.start();
      expect((await signIn()).refresh_token).toBeUndefined();
      await lab.end();
      await lab.start({ refreshMs: 2_000 });
      const { refresh_token: refreshToken = '' } = await signIn();
      const answer = await renew(refreshToken);
      let latest = JSON.parse(answer.text) as Answer;
      expect(latest.expires_in).toBeLessThanOrEqual(2);
      await eventually(async () => {
        const { status, text } = await renew(latest.refresh_token ?? '');
        if (status === 200) latest = JSON.parse(text) as Answer;
        expect(status).toBe(401);
      });
    });
  },
  { controllerManager: true },
);
