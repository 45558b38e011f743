import type { Socket } from 'node:net';
import { isIPv6 } from 'node:net';

/** Limits of open connections. */
export interface ConnectionBounds {
  /** All clients together. Default 20 000: 500 consumers with a dozen watches each, and as many requests. */
  readonly all?: number | undefined;
  /** Per client address; IPv6 addresses count by their network of 64 bits. Default 4 000. */
  readonly perAddress?: number | undefined;
}

/** Why a connection is refused. Closed. */
export type RefusedFor = 'address' | 'all';

export interface ConnectionsOptions {
  readonly bounds?: ConnectionBounds | undefined;
  /** Called for each refused connection. */
  readonly refused: (reason: RefusedFor, address: string) => void;
}

const ALL = 20_000;
const PER_ADDRESS = 4_000;
/**
 * Connections beyond the limit of an address that get an answer. Further ones close at once: an answer takes a TLS
 * handshake.
 */
const ANSWERED = 16;

interface Standing {
  served: number;
  answered: number;
}

/**
 * Keeps one client address from taking all connections. Further connections get a refusal and close; if the address
 * opens many more, those close without an answer.
 */
export class Connections {
  readonly all: number;
  readonly #perAddress: number;
  readonly #refused: ConnectionsOptions['refused'];
  readonly #standings = new Map<string, Standing>();
  /** By address and port: connections that get only a refusal. */
  readonly #beyond = new Set<string>();
  #size = 0;

  constructor({ bounds: { all = ALL, perAddress = PER_ADDRESS } = {}, refused }: ConnectionsOptions) {
    this.all = all;
    this.#perAddress = perAddress;
    this.#refused = refused;
  }

  /** Open connections, including those that are being refused. */
  get size(): number {
    return this.#size;
  }

  /** Counts a new connection until it closes. May destroy it. */
  add(socket: Socket): void {
    const { remoteAddress } = socket;
    // It is closed already.
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

  /** Records a connection that the system closed because all clients together have too many. */
  dropped(address: string): void {
    this.#refused('all', clientOf(address));
  }

  /** Whether the requests of a connection are refused because its address has too many. */
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
