import { createHash } from 'node:crypto';
import { describeWithControlPlane } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser, type Answer } from '../testing/browser.js';
import { itInChromium, openWindow } from '../testing/chromium.js';
import { Lab, formTokenOf } from '../testing/lab.js';

const verifier = 'v'.repeat(43);
const challenge = createHash('sha256').update(verifier).digest('base64url');

describeWithControlPlane('the sign-in of a terminal that no browser reaches', () => {
  let lab: Lab;
  let url: string;

  beforeAll(async () => {
    lab = await Lab.open();
    ({ url } = lab);
  });
  afterAll(() => lab.close());
  beforeEach(() => lab.begin());
  afterEach(() => lab.end());

  const post = (path: string, body: object): Promise<Answer> =>
    new Browser().request(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  interface Begun {
    readonly device_code: string;
    readonly user_code: string;
    readonly verification_uri: string;
  }
  const begin = async (): Promise<Begun> =>
    JSON.parse((await post('/api/device', { code_challenge: challenge, code_challenge_method: 'S256' })).text) as Begun;
  const take = ({ device_code: code }: Begun, secret = verifier): Promise<Answer> =>
    post('/api/device/token', { device_code: code, code_verifier: secret });
  const approve = async (browser: Browser, userCode: string, token?: string): Promise<Answer> => {
    const page = await browser.request(`${url}/device`);
    return lab.send(browser, '/device', { form_token: token ?? formTokenOf(page.text), user_code: userCode });
  };

  it('takes a code that a person types, and gives that terminal a token, once', async () => {
    await lab.start({ deviceCodes: true });
    const begun = await begin();
    expect(begun.verification_uri).toBe(`${url}/device`);
    expect((await take(begun)).status).toBe(202);
    const page = await new Browser().request(`${url}/device`);
    expect(page.text).toContain('Sign in to Lab');
    expect((await approve(await lab.signIn(), begun.user_code)).text).toContain('The terminal goes on');
    expect((await take(begun, 'w'.repeat(43))).status).toBe(400);
    const answer = await take(begun);
    const { access_token: token, ...rest } = JSON.parse(answer.text) as { access_token: string };
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: expect.any(Number), subject: 'jane', name: 'jane' });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const authorization = `Bearer ${token}`;
    const ping = (): Promise<Answer> => new Browser().request(`${url}/api/ping`, { headers: { authorization } });
    expect((await ping()).status).toBe(200);
    expect((await take(begun)).status).toBe(202);
    // It ends by itself, whatever becomes of the browser.
    await new Browser().request(`${url}/api/logout`, { method: 'POST', headers: { authorization } });
    expect((await ping()).status).toBe(401);
  });

  it('takes a code from no other site, from nobody who has not signed in, and not without the form', async () => {
    await lab.start({ deviceCodes: true });
    const begun = await begin();
    const jane = await lab.signIn();
    const page = await jane.request(`${url}/device`);
    const fields = { form_token: formTokenOf(page.text), user_code: begun.user_code };
    const foreign = await lab.send(jane, '/device', fields, { origin: 'https://example.com' });
    const stranger = await lab.send(new Browser(), '/device', fields);
    const without = await approve(jane, begun.user_code, 'x');
    const wrong = await approve(jane, 'AEIO-UAEI');
    expect([foreign.status, stranger.status, without.status, wrong.status]).toEqual([403, 401, 403, 400]);
    expect((await take(begun)).status).toBe(202);
  });

  it('lets a person approve ten that do not go on, and no more', async () => {
    await lab.start({ deviceCodes: true });
    const jane = await lab.signIn();
    const answers: number[] = [];
    for (let count = 0; count < 11; count++) answers.push((await approve(jane, (await begin()).user_code)).status);
    expect(answers).toEqual([...Array<number>(10).fill(200), 429]);
  });

  it('is not there unless it is switched on', async () => {
    await lab.start();
    const begun = await post('/api/device', { code_challenge: challenge, code_challenge_method: 'S256' });
    const taken = await post('/api/device/token', { device_code: 'x', code_verifier: verifier });
    const page = await (await lab.signIn()).request(`${url}/device`);
    expect([begun.status, taken.status, page.status]).toEqual([404, 404, 404]);
  });

  itInChromium(
    'lets a person approve a terminal in a real browser, without a fault of the pages',
    async () => {
      await lab.start({ deviceCodes: true });
      const begun = await begin();
      const window = await openWindow();
      try {
        const { page } = window;
        await page.goto(begun.verification_uri);
        await window.follow('main a.button');
        const faults = [...(await window.faults())];
        await page.type('#user_code', begun.user_code.toLowerCase());
        await window.follow('form[action="/device"] button');
        faults.push(...(await window.faults()));
        expect([faults, window.wrong]).toEqual([[], []]);
        expect((await take(begun)).status).toBe(200);
      } finally {
        await window.close();
      }
    },
    120_000,
  );
});
