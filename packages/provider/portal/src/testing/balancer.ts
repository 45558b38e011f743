import { type Socket, connect, createServer } from 'node:net';

/** What stands before replicas: takes each connection to one that listens, in turn. */
export async function startBalancer(port: number, replicas: readonly number[]): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((incoming) => {
    open.add(incoming);
    incoming.on('close', () => open.delete(incoming)).on('error', () => undefined);
    const attempt = (left: number): void => {
      const outgoing = connect(replicas[next++ % replicas.length] ?? 0, '127.0.0.1');
      outgoing.once('connect', () => incoming.pipe(outgoing).pipe(incoming));
      outgoing.on('error', () => {
        if (outgoing.connecting || left === 0) incoming.destroy();
        else attempt(left - 1);
      });
      outgoing.on('close', () => incoming.end());
    };
    attempt(replicas.length);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of open) socket.destroy();
      }),
  };
}
