import { type LookupAddress, lookup } from 'node:dns';
import { type LookupFunction, isIP } from 'node:net';
import { Refusal } from '../answer.js';
import { kindOfAddress, networks, unmapped } from './addresses.js';

/** To which clusters the portal connects on behalf of a person. */
export interface ReachableOptions {
  /** Names of hosts, or `*.example.com` for all below: their addresses have to be public ones. */
  readonly hosts: readonly string[];
  /** In CIDR notation: addresses that are reached whatever their name, private ones included. */
  readonly networks: readonly string[];
  readonly ports: readonly number[];
  /** Hosts of the provider itself, which are not reached whatever else is allowed: names or addresses. */
  readonly own: readonly string[];
  /** Where the portal itself is on the loopback interface alone, clusters there are reached as well, if `networks` names them. */
  readonly isLocal: boolean;
  /** Every address of a name. Default: that of the platform. */
  readonly resolve?: ((host: string) => Promise<readonly LookupAddress[]>) | undefined;
}

/**
 * Decides which servers the portal connects to where a person says which one: nothing of its own network can be reached that the operator has not named.
 * A name is looked up for each connection, and the connection goes to the address that was judged: a name that answers otherwise a moment later changes nothing.
 */
export class Reachable {
  readonly #options: ReachableOptions;
  readonly #isNamed: (address: string) => boolean;

  /** @throws {RangeError} for a network that is none */
  constructor(options: ReachableOptions) {
    this.#options = options;
    this.#isNamed = networks(options.networks);
  }

  /** What can be said of a server before a connection to it. @throws {Refusal} */
  async check(server: string): Promise<void> {
    const { hostname, port } = new URL(server);
    if (!this.#options.ports.includes(port === '' ? 443 : Number(port))) throw unreachable();
    const host = plainHost(hostname);
    // No connection to an address looks anything up.
    if (isIP(host) !== 0) {
      if (!this.#mayReach(undefined, host) || (await this.#ownAddresses()).has(unmapped(host))) throw unreachable();
    } else if (!this.#isHost(host) && this.#options.networks.length === 0) throw unreachable();
  }

  /** For the connections to a server that {@link check} has let through. */
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

  /** @throws where one of them may not be reached: a name that has such an address is not to be trusted with the others */
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

/** The same for whatever is not reached, so that nobody learns what there is. @throws nothing */
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

/** In lower case, without brackets and the dot of the root. */
function plainHost(hostname: string): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$/gu, '')
    .replace(/\.$/u, '');
}
