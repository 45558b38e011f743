import { createServer } from 'node:net';

/*
 * Below the range from which kernels hand out ports for outgoing connections (32768 on Linux, 49152 elsewhere), so that nobody gets
 * our port by chance while an API server restarts on it.
 */
const first = 20_000;
const count = 10_000;

/** A loopback port that nobody listens on right now. Somebody else may take it before it is used: be ready to try another. */
export async function freePort(random: () => number = Math.random): Promise<number> {
  for (;;) {
    const port = first + Math.floor(random() * count);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}
