import { type Task, type Terminal, document, outputs, printableLine, readTimeout, table } from '@hawser/commands';
import { sleep, systemClock } from '@hawser/clock';
import { type CommandDescription, ConfigError, choice, helpFlag, helpOf, parseFlags } from '@hawser/config';
import { forgetToken, keepToken, tokenOf } from './kept-token.js';
import { isLoopback, newProof, openLoopback, sendTo } from './loopback.js';
import { type PortalApi, PortalError, type Token } from './portal-api.js';
import {
  accessTo,
  addressOf,
  askedServer,
  renewedToken,
  serverFileOf,
  serverFlags,
  withPortal,
} from './server-choice.js';
import { changeServerFile, keyOfServer, loginAgain, readServerFile } from './server-file.js';

/** Help text of the command. */
export const loginCommand: CommandDescription = {
  name: 'login',
  about: `Signs you in at a portal with your browser. Keeps the token in the keyring of your operating system, or, where there is none, in a file that only you can read.

Exit codes: 0 signed in, 1 refused or not in time, 2 wrong usage.`,
  usage: ['kubectl bind login ADDRESS [flags]'],
  examples: [
    { purpose: 'sign in', line: 'kubectl bind login https://portal.example.com' },
    { purpose: 'where no browser can be opened', line: 'kubectl bind login https://portal.example.com --skip-browser' },
    {
      purpose: 'on a machine that no browser reaches, with a browser anywhere else',
      line: 'kubectl bind login https://portal.example.com --device-code',
    },
  ],
  flags: [
    ...serverFlags.filter(({ name }) => name !== 'server'),
    { name: 'skip-browser', kind: 'boolean', help: 'only print the page that has to be opened' },
    {
      name: 'device-code',
      kind: 'boolean',
      help: 'show a code to type into a page of the portal, in whichever browser',
    },
    {
      name: 'no-keyring',
      kind: 'boolean',
      help: 'keep the token in the file, where the Go plugin finds it, too',
    },
    { name: 'timeout', kind: 'string', help: 'how long the browser may take', default: '5m' },
    { name: 'show-token', kind: 'boolean', help: 'accepted for compatibility: tokens are never shown' },
    helpFlag,
  ],
};

/** Reads the flags of `kubectl bind login`. */
export function readLogin(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, loginCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(loginCommand);
  const [address, surplus] = parsed.positional;
  if (address === undefined)
    throw new ConfigError('login needs the ADDRESS of the portal; see kubectl bind login --help');
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  const server = { url: addressOf(address), cluster: parsed.values.get('cluster') };
  const timeoutMs = readTimeout(parsed);
  return (terminal) =>
    withPortal(accessTo(parsed, server), async (portal) => {
      if (server.url.startsWith('http:') && !isLoopback(server.url))
        terminal.err(`${server.url} is not encrypted: anyone on the network path can read your token.`);
      const { providerPrettyName, authenticationMethods } = await portal.provider();
      const byCode = parsed.values.get('device-code') === 'true';
      const token = byCode
        ? await signInByCode(portal, server.url, timeoutMs, terminal)
        : await signIn(
            portal,
            {
              page: signInPage(server.url, authenticationMethods),
              cluster: server.cluster,
              timeoutMs,
              skipBrowser: parsed.values.get('skip-browser') === 'true',
            },
            terminal,
          );
      if (token === undefined) {
        terminal.err(`Nobody has signed in in time. Run it again, or give it longer with --timeout.`);
        return 1;
      }
      const key = keyOfServer(server);
      const file = serverFileOf(parsed);
      if ((await readServerFile(file)).servers[key]?.keyring === true) await forgetToken(key, terminal.env);
      const useKeyring = parsed.values.get('no-keyring') !== 'true';
      const { kept, keyringName } = await keepToken(key, token, terminal.env, useKeyring);
      await changeServerFile(file, (all) => ({
        ...all,
        servers: {
          ...all.servers,
          [key]: {
            ...all.servers[key],
            url: server.url,
            ...(server.cluster === undefined ? {} : { cluster: server.cluster }),
            ...kept,
            deviceCode: byCode ? true : undefined,
          },
        },
        current: key,
      }));
      const provider = providerPrettyName === '' ? server.url : `${providerPrettyName} (${server.url})`;
      terminal.err(`You are signed in at ${provider}${nameOf(token)}. The login is kept in ${keyringName ?? file}.`);
      if (token.refresh_token === undefined)
        terminal.err(notRenewed(token, kept.expiresAt, loginAgain({ ...server, deviceCode: byCode })));
      return 0;
    });
}

interface SigningIn {
  readonly page: URL;
  readonly cluster: string | undefined;
  readonly timeoutMs: number;
  readonly skipBrowser: boolean;
}

/**
 * Undefined: timed out.
 * @throws PortalError if refused
 */
async function signIn(
  portal: PortalApi,
  { page, cluster, timeoutMs, skipBrowser }: SigningIn,
  terminal: Terminal,
): Promise<Token | undefined> {
  const loopback = await openLoopback((query) => query.has('code') || query.has('access_token'));
  try {
    const proof = newProof();
    page.searchParams.set('redirect_url', loopback.url);
    page.searchParams.set('session_id', loopback.sessionId);
    page.searchParams.set('client_type', 'cli');
    if (cluster !== undefined) page.searchParams.set('cluster_id', cluster);
    // A Hawser portal sends a code that is worthless to others; the Go backend sends the token.
    page.searchParams.set('code_challenge', proof.challenge);
    page.searchParams.set('code_challenge_method', 'S256');
    await sendTo(page.href, loopback.port, skipBrowser, terminal);
    const answer = await loopback.answer(timeoutMs, terminal.signal);
    if (answer === undefined) return undefined;
    const refused = answer.get('error');
    if (refused !== null)
      throw new PortalError(`The sign-in was refused: ${answer.get('error_description') ?? refused}`);
    const code = answer.get('code');
    return code === null ? tokenIn(answer) : await portal.token(code, proof.verifier);
  } finally {
    await loopback.close();
  }
}

/**
 * Undefined: timed out.
 * @throws PortalError if refused
 */
async function signInByCode(
  portal: PortalApi,
  url: string,
  timeoutMs: number,
  { err, signal }: Terminal,
): Promise<Token | undefined> {
  const proof = newProof();
  const begun = await portal.beginDevice(proof.challenge);
  if (begun === undefined)
    throw new PortalError(
      `${url} signs no terminal in by a code. Its administrator can allow it (portal.deviceCodes). Without it, leave --device-code out: the browser then has to reach this machine.`,
    );
  err(`Open this page in any browser, and type the code:\n\n  ${begun.verification_uri}\n\n  ${begun.user_code}\n`);
  const until = systemClock.monotonic() + Math.min(timeoutMs, begun.expires_in * 1_000);
  let failures = 0;
  let failed: PortalError | undefined;
  while (systemClock.monotonic() < until && !signal.aborted) {
    const waitMs = Math.min(begun.interval * 2 ** failures, LONGEST_INTERVAL_SECONDS) * 1_000;
    await sleep(systemClock, waitMs, signal).catch(() => undefined);
    try {
      const token = await portal.deviceToken(begun.device_code, proof.verifier);
      if (token !== undefined) return token;
      failures = 0;
      failed = undefined;
    } catch (error) {
      // The person may be typing the code: a transient error does not end the sign-in.
      if (!(error instanceof PortalError && error.passes)) throw error;
      if (failed === undefined) err(`${error.message} Asked again until the code ends.`);
      failures++;
      failed = error;
    }
  }
  if (failed !== undefined) throw failed;
  return undefined;
}

/** Longest wait between two polls for the approval, however long the portal fails. */
const LONGEST_INTERVAL_SECONDS = 30;

/** Shows the person which account signed in this terminal. */
function nameOf({ name, subject }: Token): string {
  if (subject === undefined) return '';
  return ` as ${printableLine(name === undefined || name === subject ? subject : `${name} (${subject})`)}`;
}

/**
 * Advice for a login that expires. A Hawser portal reports who signed in and can renew logins; the Go backend does
 * neither.
 */
function notRenewed({ subject }: Token, expiresAt: string | undefined, again: string): string {
  const ends = `The login is not renewed. It ends at ${expiresAt ?? 'a time that the portal does not say'}; then run ${again}.`;
  if (subject === undefined) return ends;
  return `${ends} The administrator of the portal can have logins renewed: portal.refreshSeconds, and an identity provider that gives refresh tokens (scope offline_access).`;
}

/** The Go backend writes `http` and the requested host. This uses the URL that was actually reached. */
function signInPage(url: string, methods: Awaited<ReturnType<PortalApi['provider']>>['authenticationMethods']): URL {
  const offered = methods.find(({ method }) => method === 'OAuth2CodeGrant')?.oauth2CodeGrant?.authenticatedURL;
  const asked = offered === undefined ? null : URL.parse(offered, url);
  if (asked === null) throw new PortalError(`${url} offers no sign-in with a browser`);
  const page = new URL(url);
  const { pathname, search } = asked;
  const base = page.pathname.replace(/\/$/u, '');
  page.pathname = pathname.startsWith(`${base}/`) ? pathname : `${base}${pathname}`;
  page.search = search;
  return page;
}

function tokenIn(query: URLSearchParams): Token {
  const seconds = Number(query.get('expires_in'));
  return {
    access_token: query.get('access_token') ?? '',
    token_type: query.get('token_type') ?? 'Bearer',
    expires_in: Number.isFinite(seconds) && seconds > 0 ? seconds : 3_600,
  };
}

/** Help text of the command. */
export const logoutCommand: CommandDescription = {
  name: 'logout',
  about: `Ends a login: at the portal, and in the file.

Exit codes: 0 signed out, 1 the portal could not be told, 2 wrong usage.`,
  usage: ['kubectl bind logout [ADDRESS] [flags]'],
  examples: [{ purpose: 'sign out where you last signed in', line: 'kubectl bind logout' }],
  flags: [...serverFlags, helpFlag],
};

/** Reads the flags of `kubectl bind logout`. */
export function readLogout(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, logoutCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(logoutCommand);
  const [address, surplus] = parsed.positional;
  if (surplus !== undefined) throw new ConfigError(`unexpected argument: ${surplus}`);
  return async (terminal) => {
    const path = serverFileOf(parsed);
    const file = await readServerFile(path);
    const asked = askedServer(parsed, address);
    const key = asked === undefined ? file.current : keyOfServer(asked);
    const entry = file.servers[key ?? ''];
    if (key === undefined || entry === undefined)
      throw new ConfigError(`there is no login${key === undefined ? '' : ` for ${key}`}`);
    const token = await renewedToken(parsed, key, terminal.env).catch(() => tokenOf(key, entry, terminal.env));
    let failure = token === undefined && entry.keyring === true ? 'the keyring does not give it.' : undefined;
    try {
      if (failure === undefined) await withPortal(accessTo(parsed, entry, token), (portal) => portal.logout());
    } catch (error) {
      if (!(error instanceof PortalError)) throw error;
      // The portal does not know a login that has already ended.
      if (error.status !== 401) failure = error.message;
    }
    if (entry.keyring === true) await forgetToken(key, terminal.env);
    await changeServerFile(path, ({ servers, current, ...rest }) => ({
      ...rest,
      servers: Object.fromEntries(Object.entries(servers).filter(([name]) => name !== key)),
      ...(current === key ? {} : { current }),
    }));
    terminal.err(`The login at ${key} is forgotten.`);
    if (failure === undefined) return 0;
    terminal.err(`The portal could not be told, so the token is good there until it ends: ${failure}`);
    return 1;
  };
}

/** Help text of the command. */
export const serversCommand: CommandDescription = {
  name: 'servers',
  about: 'Lists the portals that you have signed in to, and says which is meant where none is named.',
  usage: ['kubectl bind servers [flags]', 'kubectl bind servers use NAME'],
  examples: [
    { purpose: 'where am I signed in?', line: 'kubectl bind servers' },
    { purpose: 'mean another one from now on', line: 'kubectl bind servers use https://portal.example.com' },
  ],
  flags: [
    ...serverFlags.filter(({ name }) => name === 'config-file'),
    { name: 'output', short: 'o', kind: 'string', help: 'table, json or yaml', default: 'table' },
    helpFlag,
  ],
};

/** Reads the flags of `kubectl bind servers`. */
export function readServers(args: readonly string[]): Task | string {
  const parsed = parseFlags(args, serversCommand.flags);
  if (parsed.values.get('help') === 'true') return helpOf(serversCommand);
  const [word, name, surplus] = parsed.positional;
  if ((word !== undefined && (word !== 'use' || name === undefined)) || surplus !== undefined)
    throw new ConfigError('servers takes no argument, or use NAME; see kubectl bind servers --help');
  const output = choice(parsed, 'output', outputs);
  const path = serverFileOf(parsed);
  return async ({ out }) => {
    if (name !== undefined) {
      await changeServerFile(path, (file) => {
        if (file.servers[name] === undefined)
          throw new ConfigError(`there is no login for ${name}; kubectl bind servers lists them`);
        return { ...file, current: name };
      });
      return 0;
    }
    const { servers, current } = await readServerFile(path);
    const rows = Object.entries(servers).map(([key, { url, cluster, expiresAt }]) => ({
      name: key,
      url,
      cluster,
      expiresAt,
      current: key === current,
    }));
    out(output === 'table' ? serverTable(rows) : document({ servers: rows }, output));
    return 0;
  };
}

function serverTable(
  rows: readonly { readonly name: string; readonly expiresAt: string | undefined; readonly current: boolean }[],
): string {
  if (rows.length === 0) return 'You are signed in nowhere.';
  return table(
    ['CURRENT', 'NAME', 'UNTIL'],
    rows.map(({ name, expiresAt, current }) => [current ? '*' : '', name, expiresAt ?? 'unknown']),
  );
}
