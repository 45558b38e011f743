import { randomBytes } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { BindingResourceResponse } from '@hawser/kube-bind';
import { DemoError } from '../demo-error.js';

/**
 * Waits on a loopback address for the binding that a person makes on the pages, as `kubectl bind` does
 * (spec/kube-bind-cli-and-charts.md §5.2).
 */
export interface Terminal {
  /** Short; redirects to the page to open. */
  readonly start: URL;
  readonly answer: Promise<BindingResourceResponse>;
  close(): Promise<void>;
}

/** @param consumer identity of the cluster to bind */
export async function openTerminal(portal: string, consumer: string): Promise<Terminal> {
  const sessionId = randomBytes(12).toString('base64url');
  const page = new URL('/', portal);
  const server = createServer();
  const start = new URL(`http://127.0.0.1:${await listen(server)}`);
  page.searchParams.set('redirect_url', new URL('/callback', start).href);
  page.searchParams.set('session_id', sessionId);
  page.searchParams.set('consumer_id', consumer);
  const { promise, resolve } = Promise.withResolvers<BindingResourceResponse>();
  server.on('request', ({ url = '/' }, response) => {
    const asked = URL.parse(url, start);
    const answer = asked?.searchParams.get('binding_response');
    if (asked?.pathname === '/') {
      response.writeHead(302, { location: page.href }).end();
      return;
    }
    response.setHeader('content-type', 'text/plain; charset=utf-8');
    response.setHeader('cache-control', 'no-store');
    // Keeps browsers from requesting an icon, which does not exist.
    response.setHeader('content-security-policy', "default-src 'none'");
    if (
      asked?.pathname !== '/callback' ||
      typeof answer !== 'string' ||
      asked.searchParams.get('session_id') !== sessionId
    ) {
      response.writeHead(404).end('This is not the answer that the demo waits for.');
      return;
    }
    response.end(
      `You have agreed. The terminal of the demo goes on.\nHow the binding stands: ${new URL('/bindings', portal).href}`,
    );
    resolve(JSON.parse(Buffer.from(answer, 'base64url').toString()) as BindingResourceResponse);
  });
  return {
    start,
    answer: promise,
    close: () =>
      new Promise((closed) => {
        server.close(() => {
          closed();
        });
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new DemoError('failed', 'the demo has no port to wait on');
  return address.port;
}
