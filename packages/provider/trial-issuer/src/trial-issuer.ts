import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { Clock } from '@hawser/clock';
import type { Logger } from '@hawser/telemetry';
import type Provider from 'oidc-provider';
import { loopbackUrl, refusalOf } from './loopback.js';
import { CLIENT_ID, INTERACTION_PATH, openIdProvider } from './openid-provider.js';
import { STYLE_PATH, refusalPage, signInPage } from './page.js';
import { people } from './people.js';
import { style } from './style.js';

export interface TrialIssuerOptions {
  /** Where it listens, as `http://127.0.0.1:5556`. Port 0: any free one. */
  readonly url: string;
  /** Where the portal takes people back: its public URL and `/api/callback`. */
  readonly callbackUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the portal needs to use it. */
export interface TrialIssuer {
  readonly url: string;
  readonly clientId: string;
  /** Another one at each start. */
  readonly clientSecret: string;
  close(): Promise<void>;
}

/**
 * Starts an OpenID provider of two people who need no password, and says in the log that it is for trying out.
 * @throws {RangeError} for a URL that is not on the loopback interface
 */
export async function startTrialIssuer({ url, callbackUrl, clock, log }: TrialIssuerOptions): Promise<TrialIssuer> {
  const own = loopbackUrl('url', url);
  if (own.protocol !== 'http:') throw new RangeError('url: must begin with http://');
  const callback = loopbackUrl('callbackUrl', callbackUrl);
  const server = createServer({ requestTimeout: 15_000 });
  own.port = String(await listen(server, own));
  const clientSecret = randomBytes(32).toString('base64url');
  const options = { url: own.origin, clientSecret, callbackUrl: callback.href, clock };
  const provider = await openIdProvider(options).catch(async (error: unknown) => {
    await close(server);
    throw error;
  });
  const site = new Site(provider, own, callback);
  server.on('request', (request, response) => {
    site.answer(request, response).catch((error: unknown) => {
      log.warn('the trial identity provider could not answer', { error });
      if (!response.headersSent) send(response, 500, refusalPage('Start the sign-in again at the portal.'));
      else response.destroy();
    });
  });
  log.warn('anyone on this machine can sign in without a password: the identity provider is for trying out', {
    url: own.origin,
    people: people.map(({ subject, groups }) => `${subject} (${groups.join(', ')})`).join(', '),
  });
  return { url: own.origin, clientId: CLIENT_ID, clientSecret, close: () => close(server) };
}

/** Its pages, and the protocol behind them. */
class Site {
  readonly #protocol: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  constructor(
    readonly provider: Provider,
    readonly url: URL,
    readonly callback: URL,
  ) {
    this.#protocol = provider.callback();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#protect(response);
    const refusal = refusalOf(request.headers, this.url.host);
    const { pathname } = new URL(request.url ?? '/', this.url);
    if (pathname.startsWith(SIGN_IN_PATH)) forgetSession(request);
    if (refusal !== undefined) send(response, 403, refusalPage(refusal));
    else if (pathname === STYLE_PATH) send(response, 200, style, 'text/css');
    else if (!pathname.startsWith(INTERACTION_PATH)) await this.#protocol(request, response);
    else if (request.method === 'GET') await this.#show(request, response);
    else if (request.method === 'POST') await this.#choose(request, response);
    else send(response, 405, refusalPage('This page is only read, and its form sent.'));
  }

  async #show(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = await this.#begun(request, response);
    if (begun === undefined) send(response, 404, refusalPage(UNKNOWN));
    else send(response, 200, signInPage(people, `${INTERACTION_PATH}${begun}`));
  }

  async #choose(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = await this.#begun(request, response);
    const chosen = new URLSearchParams(await bodyOf(request)).get('person');
    const person = people.find(({ subject }) => subject === chosen);
    if (begun === undefined) send(response, 404, refusalPage(UNKNOWN));
    else if (person === undefined) send(response, 400, refusalPage('There is no such person here.'));
    else {
      const result = { login: { accountId: person.subject, remember: false } };
      await this.provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    }
  }

  /** The id of a sign-in that began in this browser; undefined: none has, or it is over. */
  async #begun(request: IncomingMessage, response: ServerResponse): Promise<string | undefined> {
    const details = await this.provider.interactionDetails(request, response).catch(() => undefined);
    return details?.uid;
  }

  #protect(response: ServerResponse): void {
    // Browsers hold the redirects that follow a form to the same list.
    const forms = `'self' ${this.callback.origin}`;
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; style-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`,
    );
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('x-frame-options', 'DENY');
    // With none at all, browsers send forms without their origin, as other sites would.
    response.setHeader('referrer-policy', 'same-origin');
    response.setHeader('cache-control', 'no-store');
  }
}

/** Where the portal sends people, and where a choice leads on from. */
const SIGN_IN_PATH = '/auth';

/** Each sign-in begins without the one before: another person would be signed in only by a page with a script, which browsers are told not to run. */
function forgetSession({ headers }: IncomingMessage): void {
  headers.cookie = headers.cookie
    ?.split(/;\s*/u)
    .filter((cookie) => !cookie.startsWith('_session'))
    .join('; ');
}

const UNKNOWN = 'This sign-in did not begin in this browser, or is over. Start again at the portal.';
const MOST_BYTES = 1_000;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function send(response: ServerResponse, status: number, body: string, type = 'text/html'): void {
  response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body);
}

/** Resolves to the port. */
async function listen(server: Server, { hostname, port }: URL): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port === '' ? 80 : Number(port), hostname.replace(/^\[(.*)\]$/u, '$1'), () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the trial identity provider has no port');
  return address.port;
}

async function close(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
