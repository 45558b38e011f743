import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';

/** How many connections a gateway has at a time. */
export interface ConnectionBounds {
  /** Of all clients together. Default 20 000: 500 consumers with a dozen watches each, and as many requests. */
  readonly all?: number | undefined;
  /** Of one client address; of IPv6 addresses those of a network of 64 bits count together. Default 4 000. */
  readonly perAddress?: number | undefined;
}

/** Why a connection is refused. Closed. */
export type RefusedFor = 'address' | 'all';

export interface ConnectionsOptions {
  readonly bounds?: ConnectionBounds | undefined;
  /** Told of each connection that is refused. */
  readonly refused: (reason: RefusedFor, address: string) => void;
}

const ALL = 20_000;
const PER_ADDRESS = 4_000;
/** Connections of one address beyond its bound that are answered before they end. More end at once: an answer takes a TLS handshake. */
const ANSWERED = 16;

interface Standing {
  served: number;
  answered: number;
}

/** Keeps one client address from taking the connections of all. Those beyond its bound are answered with a refusal and end; if it opens many more, these end without an answer. */
export class Connections {
  readonly all: number;
  readonly #perAddress: number;
  readonly #refused: ConnectionsOptions['refused'];
  readonly #standings = new Map<string, Standing>();
  /** By address and port: those that get nothing but a refusal. */
  readonly #beyond = new Set<string>();
  #size = 0;

  constructor({ bounds: { all = ALL, perAddress = PER_ADDRESS } = {}, refused }: ConnectionsOptions) {
    this.all = all;
    this.#perAddress = perAddress;
    this.#refused = refused;
  }

  /** Open connections, also those that are being refused. */
  get size(): number {
    return this.#size;
  }

  /** Counts a new connection until it closes. It may be destroyed afterwards. */
  add(socket: Socket): void {
    const { remoteAddress } = socket;
    // It has gone already.
    if (remoteAddress === undefined) return;
    const address = clientOf(remoteAddress);
    const standing = this.#standings.get(address) ?? { served: 0, answered: 0 };
    this.#standings.set(address, standing);
    const within = standing.served < this.#perAddress;
    if (!within) {
      this.#refused('address', address);
      if (standing.answered >= ANSWERED) {
        socket.destroy();
        return;
      }
    }
    const kind = within ? 'served' : 'answered';
    const id = idOf(socket);
    standing[kind]++;
    this.#size++;
    if (!within) this.#beyond.add(id);
    socket.once('close', () => {
      standing[kind]--;
      this.#size--;
      if (!within) this.#beyond.delete(id);
      if (standing.served === 0 && standing.answered === 0) this.#standings.delete(address);
    });
  }

  /** Notes a connection that the system has closed since there are too many of all clients together. */
  dropped(address: string): void {
    this.#refused('all', clientOf(address));
  }

  /** Whether the requests of a connection are refused since its address has too many. */
  isBeyond(socket: Socket): boolean {
    return this.#beyond.size > 0 && this.#beyond.has(idOf(socket));
  }
}

/** The TLS socket over a connection has the same address and port. */
const idOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`;

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu;

/** The client that an address counts for. Pure. */
export function clientOf(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = '', zone] = address.split('%');
  if (!isIPv6(plain) || zone !== undefined) return address;
  const [before = '', after] = plain.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const gap = after === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array.from({ length: gap }, () => '0'), ...tail];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
