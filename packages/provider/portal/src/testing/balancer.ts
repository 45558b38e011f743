import { type Socket, connect, createServer } from 'node:net';

/**
 * A load balancer before replicas: gives each connection to a listening one, in turn. Like an ingress, it retries a
 * read at the next replica, if a closing replica has ended the connection without a byte of an answer.
 */
export async function startBalancer(port: number, replicas: readonly number[]): Promise<{ close(): Promise<void> }> {
  const open = new Set<Socket>();
  let next = 0;
  const server = createServer((incoming) => {
    open.add(incoming);
    const asked: Buffer[] = [];
    const mayAskAgain = (): boolean => asked.length === 0 || asked[0]?.subarray(0, 4).toString() === 'GET ';
    const first = next++;
    let outgoing: Socket | undefined;
    let answered = false;
    const attempt = (count: number): void => {
      const replica = connect(replicas[(first + count) % replicas.length] ?? 0, '127.0.0.1');
      outgoing = replica;
      for (const chunk of asked) replica.write(chunk);
      replica.on('data', (chunk) => {
        answered = true;
        incoming.write(chunk);
      });
      replica.on('error', () => undefined);
      replica.on('close', () => {
        if (!answered && count < 2 * replicas.length && mayAskAgain() && !incoming.destroyed) attempt(count + 1);
        else incoming.end();
      });
    };
    incoming.on('data', (chunk) => {
      asked.push(chunk);
      outgoing?.write(chunk);
    });
    incoming.on('error', () => undefined);
    incoming.on('close', () => {
      open.delete(incoming);
      outgoing?.destroy();
    });
    attempt(0);
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
