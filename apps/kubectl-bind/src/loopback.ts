import { createHash, randomBytes } from 'node:crypto';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Terminal } from '@hawser/commands';

/** A local page that a browser returns to with an answer. */
export interface Loopback {
  /** Where to send the browser. Its path is a secret of this terminal: not every portal returns the session id. */
  readonly url: string;
  readonly port: number;
  /** What a portal may return besides. */
  readonly sessionId: string;
  /** The query of the first valid answer; undefined after `timeoutMs`, or when the terminal is stopped. */
  answer(timeoutMs: number, signal: AbortSignal): Promise<URLSearchParams | undefined>;
  close(): Promise<void>;
}

/** @param isAnswer whether a query is the awaited answer; others are refused */
export async function openLoopback(isAnswer: (query: URLSearchParams) => boolean): Promise<Loopback> {
  const path = `/callback/${randomBytes(16).toString('base64url')}`;
  const sessionId = randomBytes(16).toString('base64url');
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const asked = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || asked?.pathname !== path) {
      respond(response, 404, 'This is not what kubectl bind waits for.');
      return;
    }
    const query = asked.searchParams;
    const session = query.get('session_id');
    if ((session !== null && session !== sessionId) || !(isAnswer(query) || query.has('error'))) {
      respond(response, 401, 'This answer belongs to another terminal.');
      return;
    }
    respond(
      response,
      200,
      query.has('error')
        ? 'It was refused: see the terminal.'
        : 'Done. You can close this page and go back to the terminal.',
    );
    resolve(query);
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', failed).listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    port,
    sessionId,
    async answer(timeoutMs, signal) {
      const given = new Promise<undefined>((gone) => {
        const timer = setTimeout(gone, timeoutMs, undefined);
        timer.unref();
        signal.addEventListener(
          'abort',
          () => {
            gone(undefined);
          },
          { once: true },
        );
      });
      return Promise.race([promise, given]);
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
        }, 500).unref();
      }),
  };
}

/** Whether a URL points at this machine. */
export function isLoopback(url: string): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(new URL(url).hostname);
}

/** Keeps the answer out of caches and of the referrer of the next page. */
function respond(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(`${text}\n`);
}

/** A secret of the terminal, and the challenge it sends beforehand (RFC 7636). */
export interface Proof {
  readonly verifier: string;
  readonly challenge: string;
}

export function newProof(): Proof {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** Opens a page in the person's browser, if there is one, and always prints its address. */
export async function sendTo(page: string, port: number, skipBrowser: boolean, terminal: Terminal): Promise<void> {
  terminal.err(`Open this page:\n\n  ${page}\n`);
  if (skipBrowser || !(await openInBrowser(page, terminal.env)))
    terminal.err(
      `No browser was opened. It has to run on this machine, or reach it: from another machine, first run ssh -L ${port}:127.0.0.1:${port} to this one.`,
    );
}

async function openInBrowser(page: string, env: Terminal['env']): Promise<boolean> {
  const command = browserCommand(page, env);
  if (command === undefined) return false;
  const [program = '', ...args] = command;
  const { spawn } = await import('node:child_process');
  return new Promise((known) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => {
      known(false);
    });
    child.once('spawn', () => {
      child.unref();
      known(true);
    });
  });
}

/** Undefined where no browser can exist. */
function browserCommand(page: string, env: Terminal['env']): readonly string[] | undefined {
  if (process.platform === 'darwin') return ['open', page];
  // Not by cmd, which interprets characters of the address.
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', page];
  const shown = env['DISPLAY'] ?? env['WAYLAND_DISPLAY'] ?? env['WSL_DISTRO_NAME'] ?? env['BROWSER'];
  return shown === undefined ? undefined : ['xdg-open', page];
}
