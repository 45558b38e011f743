import { createServer } from 'node:net';

/*
 * Below the kernels' range for outgoing connections (32768 on Linux, 49152 on others): no connection takes our port by
 * chance while an API server restarts.
 */
const first = 20_000;
const count = 10_000;

/**
 * A loopback port without a listener right now. Another process may take it before its use: be ready to try another.
 */
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
