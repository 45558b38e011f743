import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Terminal } from '@hawser/commands';

/** The operating system's secret store of the logged-in user. */
export interface Keyring {
  /** Name for messages. */
  readonly name: string;
  /** Undefined: no such secret, or no access. */
  get(account: string): Promise<string | undefined>;
  /** Whether the secret was stored; reads it back to be sure. */
  set(account: string, secret: string): Promise<boolean>;
  delete(account: string): Promise<void>;
}

/** A program and its standard input, which no other user can see, unlike its arguments. */
interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** How to use one operating system's keyring. */
interface Way {
  readonly name: string;
  readonly get: (account: string) => Call;
  /** Undefined: this secret cannot be stored. */
  readonly set: (account: string, secret: string) => Call | undefined;
  readonly delete: (account: string) => Call;
}

const SERVICE = 'kubectl-bind';
/** A locked keyring asks the person to unlock it. */
const PATIENCE_MS = 30_000;
const MOST_BYTES = 65_536;
/** Characters of tokens and portal addresses. None of them ends a shell word, a line or a string. */
const PLAIN = /^[\w.~:/@%+=-]+$/u;
/** `security` reads no line longer than this. */
const LONGEST_LINE = 4_000;

/** Undefined without a keyring, as on a server. */
export function keyringOf(env: Terminal['env'], platform: NodeJS.Platform = process.platform): Keyring | undefined {
  const way = wayOf(env, platform);
  return way === undefined ? undefined : openKeyring(way, env);
}

function wayOf(env: Terminal['env'], platform: NodeJS.Platform): Way | undefined {
  if (platform === 'darwin') return macOs;
  if (platform === 'win32') return windows(env['SystemRoot'] ?? 'C:\\Windows');
  // Without a session bus the tool would hang.
  if ((env['DBUS_SESSION_BUS_ADDRESS'] ?? '') === '') return undefined;
  const program = programIn(env['PATH'] ?? '', 'secret-tool');
  return program === undefined ? undefined : secretService(program);
}

function openKeyring(way: Way, env: Terminal['env']): Keyring {
  const get = async (account: string): Promise<string | undefined> => {
    if (!PLAIN.test(account)) return undefined;
    const found = (await run(way.get(account), env))?.replace(/\r?\n$/u, '');
    return found === '' ? undefined : found;
  };
  return {
    name: way.name,
    get,
    set: async (account, secret) => {
      const call = PLAIN.test(account) && PLAIN.test(secret) ? way.set(account, secret) : undefined;
      if (call === undefined || (await run(call, env)) === undefined) return false;
      // A secret that is truncated, or stored only for this process, does not count as stored.
      return (await get(account)) === secret;
    },
    delete: async (account) => {
      if (PLAIN.test(account)) await run(way.delete(account), env);
    },
  };
}

const secretService = (program: string): Way => ({
  name: 'the keyring of your desktop',
  get: (account) => ({ program, args: ['lookup', 'service', SERVICE, 'account', account], input: '' }),
  set: (account, secret) => ({
    program,
    args: ['store', `--label=kubectl bind: ${account}`, 'service', SERVICE, 'account', account],
    input: secret,
  }),
  delete: (account) => ({ program, args: ['clear', 'service', SERVICE, 'account', account], input: '' }),
});

const security = '/usr/bin/security';
const macOs: Way = {
  name: 'your keychain',
  get: (account) => ({
    program: security,
    args: ['find-generic-password', '-s', SERVICE, '-a', account, '-w'],
    input: '',
  }),
  set: (account, secret) => {
    const line = `add-generic-password -U -s ${SERVICE} -a "${account}" -w "${secret}"\n`;
    return line.length > LONGEST_LINE ? undefined : { program: security, args: ['-i'], input: line };
  },
  delete: (account) => ({
    program: security,
    args: ['delete-generic-password', '-s', SERVICE, '-a', account],
    input: '',
  }),
};

/** Uses the vault of the Credential Manager. The script comes on the standard input. */
const windows = (root: string): Way => {
  const program = join(root, 'System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');
  const script = (account: string, lines: string): Call => ({
    program,
    args: ['-NoProfile', '-NonInteractive', '-Command', '-'],
    input: `$ErrorActionPreference = 'Stop'
[void][Windows.Security.Credentials.PasswordVault,Windows.Security.Credentials,ContentType=WindowsRuntime]
$vault = New-Object Windows.Security.Credentials.PasswordVault
$account = '${account}'
${lines}
`,
  });
  const find = `$vault.Retrieve('${SERVICE}', $account)`;
  return {
    name: 'the Credential Manager',
    get: (account) =>
      script(account, `$found = ${find}; $found.RetrievePassword(); [Console]::Out.Write($found.Password)`),
    set: (account, secret) =>
      script(
        account,
        `$vault.Add((New-Object Windows.Security.Credentials.PasswordCredential('${SERVICE}', $account, '${secret}')))`,
      ),
    delete: (account) => script(account, `$vault.Remove((${find}))`),
  };
};

/** Skips relative folders of `PATH`: the program must not depend on the working directory. */
function programIn(path: string, name: string): string | undefined {
  return path
    .split(':')
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** The program's output; undefined if it failed or timed out. Its error text could hold the secret and is dropped. */
function run({ program, args, input }: Call, env: Terminal['env']): Promise<string | undefined> {
  return new Promise((ended) => {
    const child = spawn(program, args, {
      env: { ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: PATIENCE_MS,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MOST_BYTES) child.kill('SIGKILL');
      else chunks.push(chunk);
    });
    child.once('error', () => {
      ended(undefined);
    });
    child.once('close', (code) => {
      ended(code === 0 ? Buffer.concat(chunks).toString() : undefined);
    });
    // A program that has already ended reads nothing.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
