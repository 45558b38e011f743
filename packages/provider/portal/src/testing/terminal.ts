import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A `kubectl bind` that waits in a terminal: it listens on the loopback interface for its answer. */
export interface Terminal {
  /** Address to which a browser shall bring the answer. */
  readonly callback: string;
  /** The addresses of the answers so far. */
  readonly answers: readonly URL[];
  close(): void;
}

export async function openTerminal(): Promise<Terminal> {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    if (url.pathname === '/callback') answers.push(url);
    response.end('You can close this window.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    callback: `http://127.0.0.1:${port}/callback`,
    answers,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
