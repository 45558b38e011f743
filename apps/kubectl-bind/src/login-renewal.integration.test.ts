import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Terminal } from '@hawser/commands';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Browser } from '../../../packages/provider/portal/src/testing/browser.js';
import { Lab } from '../../../packages/provider/portal/src/testing/lab.js';
import { readLogin, readLogout } from './login.js';
import { readTemplates } from './templates.js';

interface Logins {
  servers: Record<string, { accessToken?: string; refreshToken?: string; expiresAt: string }>;
}

describeWithControlPlane('a login that has ended', () => {
  let lab: Lab;
  let folder: string;
  let path: string;
  let output: string;

  beforeAll(async () => {
    lab = await Lab.open();
    folder = mkdtempSync(join(tmpdir(), 'hawser-renewal-'));
    path = join(folder, 'logins');
  });
  afterAll(async () => {
    await lab.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await lab.begin();
    await lab.start({ refreshMs: 86_400_000 });
  });
  afterEach(() => lab.end());

  let env: Terminal['env'] = {};
  const run = (task: ReturnType<typeof readLogin>): Promise<number> => {
    output = '';
    const print = (text: string): void => {
      output += `${text}\n`;
    };
    const { signal } = new AbortController();
    if (typeof task === 'string') throw new Error(task);
    return task({ out: print, err: print, ask: () => Promise.resolve(undefined), env, signal });
  };
  const logins = (): Logins => JSON.parse(readFileSync(path, 'utf8')) as Logins;
  const entry = () => {
    const [found] = Object.values(logins().servers);
    if (found === undefined) throw new Error('no login');
    return found;
  };
  const endIt = (): void => {
    const all = logins();
    for (const one of Object.values(all.servers)) one.expiresAt = '2026-01-01T00:00:00Z';
    writeFileSync(path, JSON.stringify(all));
  };
  const login = async (): Promise<void> => {
    const ended = run(readLogin([lab.url, '--skip-browser', `--config-file=${path}`]));
    const page = await eventually(() => {
      const [found] = /http:\/\/127\.0\.0\.1:\S+/u.exec(output) ?? [];
      if (found === undefined) throw new Error(output);
      return found;
    });
    const { location } = await new Browser().follow(page, ({ pathname }) => pathname.startsWith('/callback/'));
    await new Browser().request(location);
    expect(await ended).toBe(0);
  };
  const list = (): Promise<number> => run(readTemplates([`--config-file=${path}`, '-o', 'name']));

  it('is renewed by the next command, by one of several at a time, and shows no token', async () => {
    await login();
    const before = entry();
    expect(before.refreshToken).toBeDefined();
    endIt();
    expect(await Promise.all([list(), list(), list()])).toEqual([0, 0, 0]);
    const after = entry();
    expect(after.accessToken).not.toBe(before.accessToken);
    expect(after.refreshToken).not.toBe(before.refreshToken);
    for (const token of [after.accessToken, after.refreshToken]) expect(output).not.toContain(token);
    expect(await list()).toBe(0);
  });

  it('is asked for again where the identity provider does not renew it', async () => {
    await login();
    endIt();
    lab.idp.change('jane', undefined);
    await expect(list()).rejects.toThrow('has ended. Log in again');
    expect(entry().refreshToken).toBeUndefined();
  });

  it('is kept in the keyring with what renews it, and signed out at the portal though it has ended', async () => {
    const program = join(folder, 'secret-tool');
    writeFileSync(
      program,
      `#!/bin/sh\nfor last; do :; done\nkept="$0.$(printf %s "$last" | tr -c 'a-zA-Z0-9\\n' _)"\ncase "$1" in store) cat > "$kept" ;; lookup) cat "$kept" ;; clear) rm "$kept" ;; esac\n`,
      { mode: 0o755 },
    );
    env = { PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    await login();
    expect([entry().accessToken, entry().refreshToken]).toEqual([undefined, undefined]);
    endIt();
    expect(await list()).toBe(0);
    expect([entry().accessToken, entry().refreshToken]).toEqual([undefined, undefined]);
    endIt();
    expect(await run(readLogout([`--config-file=${path}`]))).toBe(0);
    expect(output).not.toContain('could not be told');
    expect(logins().servers).toEqual({});
  });
});
