import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/**
 * A connection to a server with adjustable latency. Data arrives in order, half a round trip later; data in transit
 * fills no window.
 */
export interface Relay {
  /** `https://host:port` in the place of the server. */
  readonly server: string;
  /** Connections made so far. */
  connections(): number;
  /** Applies to data sent from now on. */
  setRoundTrip(ms: number): void;
  close(): Promise<void>;
}

/**
 * Opens a relay to `server`, an https address. A new connection delays its first bytes by another round trip, as a TCP
 * handshake does.
 */
export async function openRelay(server: string): Promise<Relay> {
  const { hostname, port } = new URL(server);
  const open = new Set<Socket>();
  let roundTripMs = 0;
  let connections = 0;
  const listener = createServer({ noDelay: true }, (client) => {
    connections++;
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const [from, to, handshakeMs] of [
      [client, upstream, roundTripMs],
      [upstream, client, 0],
    ] as const) {
      open.add(from);
      const send = wire(() => roundTripMs / 2, handshakeMs);
      from.on('data', (chunk) => {
        send(() => to.write(chunk));
      });
      from.on('end', () => {
        send(() => to.end());
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        send(() => to.destroy());
      });
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    server: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    connections: () => connections,
    setRoundTrip: (ms) => {
      roundTripMs = ms;
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

/** One direction: delivers its input later, in the same order. */
function wire(delayMs: () => number, handshakeMs: number): (happens: () => unknown) => void {
  const open = performance.now() + handshakeMs;
  const underWay: { readonly at: number; readonly happens: () => unknown }[] = [];
  const arrive = (): void => {
    for (let [next] = underWay; next !== undefined; [next] = underWay) {
      const waits = next.at - performance.now();
      if (waits > 0) {
        setTimeout(arrive, Math.ceil(waits));
        return;
      }
      underWay.shift();
      next.happens();
    }
  };
  return (happens) => {
    const isIdle = underWay.length === 0;
    underWay.push({ at: Math.max(performance.now(), open) + delayMs(), happens });
    if (isIdle) arrive();
  };
}
