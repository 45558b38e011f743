import { createHash } from 'node:crypto';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
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

  const renew = (refreshToken: string): Promise<Answer> =>
    post('/api/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  /** The page that leads to the identity provider, and where that is. */
  const confirmation = async (browser: Browser, userCode: string): Promise<string> =>
    /class="button" href="(http[^"]+)"/u.exec((await approve(browser, userCode)).text)?.[1]?.replaceAll('&amp;', '&') ??
    '';

  it('gives a terminal what renews its login, once the person has confirmed it at the identity provider', async () => {
    await lab.start({ deviceCodes: true, refreshMs: 86_400_000 });
    const begun = await begin();
    const jane = await lab.signIn();
    expect((await jane.request(`${url}/device`)).text).toContain('for 24 hours at most');
    const at = await confirmation(jane, begun.user_code);
    expect(at).toContain(lab.idp.url);
    expect((await take(begun)).status).toBe(202);
    const page = await jane.follow(at);
    expect([page.status, page.url]).toEqual([200, `${url}/device/approved`]);
    const token = JSON.parse((await take(begun)).text) as { access_token: string; refresh_token: string };
    lab.idp.change('jane', { subject: 'jane', groups: [] });
    const next = JSON.parse((await renew(token.refresh_token)).text) as { access_token: string };
    const headers = { authorization: `Bearer ${next.access_token}` };
    const { text } = await new Browser().request(`${url}/api/templates`, { headers });
    expect(JSON.parse(text)).toMatchObject({ items: [] });
    await new Browser().request(`${url}/api/logout`, { method: 'POST', headers });
    expect((await new Browser().request(`${url}/api/ping`, { headers })).status).toBe(401);
    // The person's browser stays signed in.
    expect((await jane.request(`${url}/device`)).text).toContain('name="user_code"');
  });

  it('lets no terminal in whose approval is confirmed in another browser, by another person, twice, or after a sign-out', async () => {
    await lab.start({ deviceCodes: true, refreshMs: 86_400_000 });
    const [first, second, third] = [await begin(), await begin(), await begin()];
    const jane = await lab.signIn();
    const otherBrowser = await lab.signIn();
    expect((await otherBrowser.follow(await confirmation(jane, first.user_code))).status).toBe(400);
    const other = await confirmation(jane, first.user_code);
    lab.idp.person = { subject: 'mallory', groups: ['databases'] };
    jane.cookies(lab.idp.url).delete('_session');
    jane.cookies(lab.idp.url).delete('_session.sig');
    expect((await jane.follow(other)).text).toContain('Another person typed the code');
    expect((await take(first)).status).toBe(202);

    lab.idp.person = { subject: 'jane', groups: ['databases'] };
    jane.cookies(lab.idp.url).delete('_session');
    jane.cookies(lab.idp.url).delete('_session.sig');
    const answer = await jane.follow(await confirmation(jane, second.user_code), ({ pathname }) =>
      pathname.startsWith('/device'),
    );
    expect((await take(second)).status).toBe(200);
    expect((await jane.request(answer.url)).status).toBe(400);

    await jane.follow(await confirmation(jane, third.user_code));
    const page = await jane.request(`${url}/device`);
    await lab.send(jane, '/sign-out', { form_token: formTokenOf(page.text) });
    await eventually(async () => {
      expect((await take(third)).status).toBe(400);
    });
  });

  itInChromium(
    'lets a person approve a terminal in a real browser, without a fault of the pages',
    async () => {
      await lab.start({ deviceCodes: true, refreshMs: 86_400_000 });
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
        await window.follow('main a.button');
        expect(page.url()).toBe(`${url}/device/approved`);
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
