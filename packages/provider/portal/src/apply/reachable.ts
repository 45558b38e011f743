import { type LookupAddress, lookup } from 'node:dns';
import { type LookupFunction, isIP } from 'node:net';
import { Refusal } from '../answer.js';
import { kindOfAddress, networks, unmapped } from './addresses.js';

/** Clusters that the portal may connect to for a person. */
export interface ReachableOptions {
  /** Host names, or `*.example.com` for all below: their addresses must be public. */
  readonly hosts: readonly string[];
  /** In CIDR notation: addresses permitted under any name, including private ones. */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** The provider's own hosts, names or addresses: forbidden in any case. */
  readonly own: readonly string[];
  /** With the portal on the loopback interface alone, clusters there are permitted too if `networks` names them. */
  readonly isLocal: boolean;
  /** Resolves all addresses of a name. Default: the platform's resolver. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
}

/**
 * Decides which servers the portal connects to when a person names one: nothing in its own network except what the
 * operator named. Looks a name up for each connection, and connects to the checked address: a later change of DNS has
 * no effect.
 */
export class Reachable {
  readonly #options: ReachableOptions;
  readonly #isNamed: (address: string) => boolean;

  /** @throws {RangeError} for an invalid network */
  constructor(options: ReachableOptions) {
    this.#options = options;
    this.#isNamed = networks(options.networks);
  }

  /** Checks a server before a connection. @throws {Refusal} */
  async check(server: string): Promise<void> {
    const { hostname, port } = new URL(server);
    if (!this.#options.ports.includes(port === '' ? 443 : Number(port))) throw unreachable();
    const host = plainHost(hostname);
    // A connection to an address needs no lookup.
    if (isIP(host) !== 0) {
      if (!this.#mayReach(undefined, host) || (await this.#ownAddresses()).has(unmapped(host))) throw unreachable();
    } else if (!this.#isHost(host) && this.#options.networks.length === 0) throw unreachable();
  }

  /** Lookup for connections to a server that passed {@link check}. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#addressesOf(hostname).then(
      (addresses) => {
        const wanted = addresses.filter(
          ({ family }) => !(options.family === 4 || options.family === 6) || options.family === family,
        );
        const [first] = wanted;
        if (first === undefined) callback(refusedLookup(), '', 0);
        else if (options.all === true) callback(null, [...wanted]);
        else callback(null, first.address, first.family);
      },
      () => {
        callback(refusedLookup(), '', 0);
      },
    );
  };

  /** @throws if any address is forbidden: then the name's other addresses are not trusted either */
  async #addressesOf(hostname: string): Promise<readonly LookupAddress[]> {
    const { resolve = resolved } = this.#options;
    const host = plainHost(hostname);
    const [addresses, own] = await Promise.all([resolve(host), this.#ownAddresses()]);
    if (!addresses.every(({ address }) => this.#mayReach(host, address) && !own.has(unmapped(address))))
      throw refusedLookup();
    return addresses;
  }

  async #ownAddresses(): Promise<ReadonlySet<string>> {
    const { resolve = resolved, own } = this.#options;
    const found = await Promise.all(
      own.map(async (one) => {
        const host = plainHost(one);
        return isIP(host) === 0 ? resolve(host).catch(() => []) : [{ address: host }];
      }),
    );
    return new Set(found.flat().map(({ address }) => unmapped(address)));
  }

  #mayReach(host: string | undefined, address: string): boolean {
    const kind = kindOfAddress(address);
    switch (kind) {
      case 'never':
        return false;
      case 'loopback':
        return this.#options.isLocal && this.#isNamed(address);
      case 'private':
        return this.#isNamed(address);
      case 'public':
        return this.#isNamed(address) || (host !== undefined && this.#isHost(host));
    }
  }

  #isHost(host: string): boolean {
    return this.#options.hosts.some((allowed) =>
      allowed.startsWith('*.') ? host.endsWith(allowed.slice(1).toLowerCase()) : host === allowed.toLowerCase(),
    );
  }
}

/** Same text for every unreachable server: it discloses nothing about the network. @throws nothing */
export function unreachable(): Refusal {
  return new Refusal(
    403,
    'BAD_REQUEST',
    'The portal does not connect to the server of this kubeconfig: its administrator has not allowed it, or it does not answer. Apply the bundle by the command instead.',
  );
}

function resolved(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((found, failed) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error === null) found(addresses);
      else failed(error);
    });
  });
}

function refusedLookup(): NodeJS.ErrnoException {
  return Object.assign(new Error('this host is not to be reached'), { code: 'ENOTFOUND' });
}

/** Lower case, without brackets and the root's dot. */
function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/gu, '')
    .replace(/\.$/u, '');
}
