import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from '@hawser/commands';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Lab, formTokenOf } from '../../../packages/provider/portal/src/testing/lab.js';
import { readLogin, readLogout } from './login.js';
import { readTemplates } from './templates.js';

describeWithControlPlane('kubectl bind login --device-code', () => {
  let lab: Lab;
  let folder: string;
  let output: string;

  beforeAll(async () => {
    lab = await Lab.open();
    folder = mkdtempSync(join(tmpdir(), 'hawser-device-login-'));
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => lab.begin());
  afterEach(() => lab.end());

  /** Of the person's desktop. */
  let env: Terminal['env'] = {};
  const run = (task: ReturnType<typeof readLogin>): Promise<number> => {
    output = '';
    const print = (text: string): void => {
      output += `${text}\n`;
    };
    const terminal: Terminal = {
      out: print,
      err: print,
      ask: () => Promise.resolve(undefined),
      env,
      signal: new AbortController().signal,
    };
    if (typeof task === 'string') throw new Error(task);
    return task(terminal);
  };
  const logins = (): string => `--config-file=${join(folder, 'logins')}`;
  const login = (...args: readonly string[]): Promise<number> =>
    run(readLogin([lab.url, '--device-code', logins(), ...args]));

  const shownCode = (): Promise<string> =>
    eventually(() => {
      const [, shown] = /^ {2}([A-Z]{4}-[A-Z]{4})$/mu.exec(output) ?? [];
      if (shown === undefined) throw new Error(output);
      return shown;
    });
  const approve = async (code: string): Promise<void> => {
    const browser = await lab.signIn();
    const page = await browser.request(`${lab.url}/device`);
    const sent = await lab.send(browser, '/device', { form_token: formTokenOf(page.text), user_code: code });
    const [, confirm] = /class="button" href="(http[^"]+)"/u.exec(sent.text) ?? [];
    if (confirm !== undefined) await browser.follow(confirm.replaceAll('&amp;', '&'));
  };
  interface Kept {
    accessToken: string;
    refreshToken?: string;
    expiresAt: string;
  }
  const file = (): string => join(folder, 'logins');
  const kept = (): Kept => {
    const [found] = Object.values(
      (JSON.parse(readFileSync(file(), 'utf8')) as { servers: Record<string, Kept> }).servers,
    );
    if (found === undefined) throw new Error('no login');
    return found;
  };
  const endIt = (): void => {
    const all = JSON.parse(readFileSync(file(), 'utf8')) as { servers: Record<string, Kept> };
    for (const one of Object.values(all.servers)) one.expiresAt = '2026-01-01T00:00:00Z';
    writeFileSync(file(), JSON.stringify(all));
  };

  it('is renewed by the next command, as a login by a browser is', async () => {
    await lab.start({ deviceCodes: true, refreshMs: 86_400_000 });
    const ended = login();
    await approve(await shownCode());
    expect(await ended).toBe(0);
    expect(output).not.toContain('not renewed');
    const before = kept();
    endIt();
    expect(await run(readTemplates([logins(), '-o', 'name']))).toBe(0);
    expect(output).toContain('databases');
    expect([kept().accessToken === before.accessToken, kept().refreshToken === before.refreshToken]).toEqual([
      false,
      false,
    ]);
    for (const secret of [before.refreshToken, kept().refreshToken]) expect(output).not.toContain(secret);
  });

  it('says until when a login lasts that is not renewed, and how to sign in again', async () => {
    await lab.start({ deviceCodes: true });
    const ended = login();
    await approve(await shownCode());
    expect(await ended).toBe(0);
    expect(output).toContain(`It ends at ${kept().expiresAt}; then run kubectl bind login ${lab.url} --device-code.`);
    expect(output).toContain('portal.refreshSeconds');
    endIt();
    await expect(run(readTemplates([logins()]))).rejects.toThrow(
      `Log in again: kubectl bind login ${lab.url} --device-code`,
    );
  });

  it('signs in by a code that is typed in a browser elsewhere, and shows no token', async () => {
    await lab.start({ deviceCodes: true });
    const ended = login();
    const code = await shownCode();
    expect(output).toContain(`${lab.url}/device`);
    await approve(code);
    expect(await ended).toBe(0);
    const { servers } = JSON.parse(readFileSync(join(folder, 'logins'), 'utf8')) as {
      servers: Record<string, { accessToken: string }>;
    };
    const [{ accessToken } = { accessToken: '' }] = Object.values(servers);
    expect(accessToken).not.toBe('');
    expect(output).not.toContain(accessToken);
  });

  it('keeps the token in the keyring where there is one, and signs out with it', async () => {
    await lab.start({ deviceCodes: true });
    const program = join(folder, 'secret-tool');
    writeFileSync(
      program,
      `#!/bin/sh\ncase "$1" in store) cat > "$0.kept" ;; lookup) cat "$0.kept" ;; clear) rm "$0.kept" ;; esac\n`,
      { mode: 0o755 },
    );
    env = { PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    const ended = login();
    await approve(await shownCode());
    expect(await ended).toBe(0);
    expect(output).toContain('The login is kept in the keyring of your desktop.');
    const token = readFileSync(`${program}.kept`, 'utf8');
    expect(readFileSync(join(folder, 'logins'), 'utf8')).not.toContain(token);
    expect(await run(readTemplates([logins(), '-o', 'name']))).toBe(0);
    expect(output).toContain('databases');
    env = {};
    await expect(run(readTemplates([logins()]))).rejects.toThrow(/keyring does not give/u);
    env = { PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    expect(await run(readLogout([logins()]))).toBe(0);
    expect(existsSync(`${program}.kept`)).toBe(false);
    env = {};
  });

  it('goes on when the portal is away for a moment while it asks, and says who has signed in', async () => {
    await lab.start({ deviceCodes: true });
    const ended = login();
    const code = await shownCode();
    await lab.end();
    await eventually(
      () => {
        expect(output).toContain('Asked again until the code ends.');
      },
      { timeoutMs: 10_000 },
    );
    await lab.start({ deviceCodes: true });
    await approve(code);
    expect(await ended).toBe(0);
    expect(output).toContain(' as jane. The login is kept in ');
    expect(output.match(/Asked again/gu)).toHaveLength(1);
  });

  it('says what to do where the portal does not allow it, and where nobody types the code', async () => {
    await lab.start();
    await expect(login()).rejects.toThrow(/signs no terminal in by a code.*deviceCodes.*--device-code/u);
    await lab.end();
    await lab.start({ deviceCodes: true });
    expect(await login('--timeout=100ms')).toBe(1);
    expect(output).toContain('Nobody has signed in in time.');
  });
});
