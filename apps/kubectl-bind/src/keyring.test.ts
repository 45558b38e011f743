import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Keyring, keyringOf } from './keyring.js';

const account = 'https://portal.example.com';
const token = 'eyJhbGciOiJkaXIi..secret_token-123';

describe('the keyring of a desktop', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keyring-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** In the place of `secret-tool`: writes down how it is called, and keeps what it is told by `store`. */
  const openKeyring = (store = 'cat > "$0.kept"'): Keyring | undefined => {
    const program = join(folder, 'secret-tool');
    writeFileSync(
      program,
      `#!/bin/sh\necho "$*" >> "$0.calls"\ncase "$1" in\nstore) ${store} ;;\nlookup) cat "$0.kept" ;;\nclear) rm -f "$0.kept" ;;\nesac\n`,
    );
    chmodSync(program, 0o755);
    return keyringOf({ PATH: `${folder}:/usr/bin:/bin`, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' }, 'linux');
  };
  const calls = (): string => readFileSync(join(folder, 'secret-tool.calls'), 'utf8');

  it('keeps a token that no argument has', async () => {
    const keyring = openKeyring();
    expect(await keyring?.set(account, token)).toBe(true);
    expect(await keyring?.get(account)).toBe(token);
    await keyring?.delete(account);
    expect(await keyring?.get(account)).toBeUndefined();
    expect(calls()).toContain(`store --label=kubectl bind: ${account} service kubectl-bind account ${account}`);
    expect(calls()).not.toContain(token);
  });

  it.each([
    ['fails', 'exit 1'],
    ['keeps nothing', 'cat > /dev/null'],
    ['cuts it off', 'head -c 5 > "$0.kept"'],
    ['reads nothing', 'exit 0'],
  ])('has not kept what it %s', async (_, store) => {
    expect(await openKeyring(store)?.set(account, token)).toBe(false);
  });

  it('is told nothing that could be more than a token', async () => {
    const keyring = openKeyring();
    expect(await keyring?.set(account, 'a"\nb')).toBe(false);
    expect(await keyring?.set("x'; rm", token)).toBe(false);
    expect(existsSync(join(folder, 'secret-tool.calls'))).toBe(false);
  });

  it('is none without a session, without its program, or in a folder that is named from where one is', () => {
    openKeyring();
    expect(keyringOf({ PATH: folder }, 'linux')).toBeUndefined();
    const session = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere' };
    expect(keyringOf({ ...session, PATH: '/nowhere' }, 'linux')).toBeUndefined();
    expect(keyringOf({ ...session, PATH: '.:bin' }, 'linux')).toBeUndefined();
  });
});
