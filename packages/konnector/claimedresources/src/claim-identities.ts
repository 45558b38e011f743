import { type ClusterIdentities, type ConnectionSides, readClusterIdentities } from '@hawser/konnector-connection';

/** Reads who the two sides are: live, once, and again when another cluster may have taken the place of one. */
export class ClaimIdentities {
  readonly #sides: ConnectionSides;
  #known: ClusterIdentities | undefined;
  /** uids of bindings that were there when the identities were read. Others may have come with another cluster. */
  #identified: ReadonlySet<string> = new Set();

  constructor(sides: ConnectionSides) {
    this.#sides = sides;
  }

  get known(): ClusterIdentities | undefined {
    return this.#known;
  }

  /** Whether they are to be read again before bindings with these uids are served. */
  isDoubted(uids: ReadonlySet<string>): boolean {
    return this.#known !== undefined && [...uids].some((uid) => !this.#identified.has(uid));
  }

  /** The bindings with these uids are there, now that the identities were read. */
  identified(uids: ReadonlySet<string>): void {
    this.#identified = uids;
  }

  /** One of the clusters is said to be another. */
  doubt(): void {
    this.#identified = new Set();
  }

  async resolve(signal: AbortSignal): Promise<ClusterIdentities> {
    return (this.#known ??= await this.read(signal));
  }

  read(signal: AbortSignal): Promise<ClusterIdentities> {
    return readClusterIdentities(this.#sides, signal);
  }

  /** Whether these are the ones that are known. */
  areKnown({ consumerCluster, clusterNamespaceUid }: ClusterIdentities): boolean {
    return consumerCluster === this.#known?.consumerCluster && clusterNamespaceUid === this.#known.clusterNamespaceUid;
  }

  /** From now on. */
  set(now: ClusterIdentities): void {
    this.#known = now;
  }
}
