import { type ClusterIdentities, type ConnectionSides, readClusterIdentities } from '@hawser/konnector-connection';

/** Identities of both clusters: read once, live. */
export class ConnectionIdentities {
  readonly #sides: ConnectionSides;
  #known: ClusterIdentities | undefined;

  constructor(sides: ConnectionSides) {
    this.#sides = sides;
  }

  async resolve(signal: AbortSignal): Promise<void> {
    this.#known ??= await readClusterIdentities(this.#sides, signal);
  }

  /** The identities, once resolved. */
  get known(): ClusterIdentities {
    if (this.#known === undefined) throw new Error('identities are resolved before syncs start');
    return this.#known;
  }
}
