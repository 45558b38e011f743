import { Agent, get } from 'node:http';
import { type Socket, connect } from 'node:net';
import { writers } from './writers.js';

const WIDTH = 8;

/** Begins sign-ins and abandons them. */
export async function beginSignIns(url: string, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: WIDTH });
  const query = new URLSearchParams({ redirect_url: `${url}/page`, session_id: 'bench', client_type: 'ui' });
  try {
    await writers(count, WIDTH, () => beginOne(`${url}/api/authorize?${query.toString()}`, agent));
  } finally {
    agent.destroy();
  }
}

function beginOne(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      if (response.statusCode !== 302) reject(new Error(`status ${response.statusCode ?? 0}`));
      response.resume().once('end', resolve);
    }).once('error', reject);
  });
}

/** Connections that each send one byte per second and never a whole request. */
export interface SlowClients {
  /** Milliseconds from the start until the portal has closed the last one. */
  readonly closed: Promise<number>;
}

/** `count`: at most a thousand, the portal's limit. */
export async function startSlowClients(url: string, count: number): Promise<SlowClients> {
  const { hostname, port } = new URL(url);
  const start = performance.now();
  const sockets: Socket[] = [];
  for (let index = 0; index < count; index++)
    sockets.push(
      await new Promise<Socket>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write('GET / HTTP/1.1\r\nhost: x\r\na: ');
          resolve(socket);
        });
        socket.once('error', reject);
      }),
    );
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a');
  }, 1_000);
  const gone = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket
          .on('error', () => undefined)
          .resume()
          .once('close', () => {
            resolve();
          });
      }),
  );
  const closed = Promise.all(gone).then(() => {
    clearInterval(timer);
    return performance.now() - start;
  });
  return { closed };
}
