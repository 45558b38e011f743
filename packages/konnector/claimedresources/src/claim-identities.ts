import { type ClusterIdentities, type ConnectionSides, readClusterIdentities } from '@hawser/konnector-connection';

/** Reads the identities of both sides: live, once, and again after a possible replacement of a cluster. */
export class ClaimIdentities {
  readonly #sides: ConnectionSides;
  #known: ClusterIdentities | undefined;
  /** uids of bindings at the time of that read. Others may have come with another cluster. */
  #identified: ReadonlySet<string> = new Set();

  constructor(sides: ConnectionSides) {
    this.#sides = sides;
  }

  get known(): ClusterIdentities | undefined {
    return this.#known;
  }

  /** Whether to read them again before serving bindings with these uids. */
  isDoubted(uids: ReadonlySet<string>): boolean {
    return this.#known !== undefined && [...uids].some((uid) => !this.#identified.has(uid));
  }

  /** Records the uids of bindings present at the read. */
  identified(uids: ReadonlySet<string>): void {
    this.#identified = uids;
  }

  /** Requests a new read: one of the clusters may be another. */
  doubt(): void {
    this.#identified = new Set();
  }

  async resolve(signal: AbortSignal): Promise<ClusterIdentities> {
    return (this.#known ??= await this.read(signal));
  }

  read(signal: AbortSignal): Promise<ClusterIdentities> {
    return readClusterIdentities(this.#sides, signal);
  }

  /** Whether these equal the known ones. */
  areKnown({ consumerCluster, clusterNamespaceUid }: ClusterIdentities): boolean {
    return consumerCluster === this.#known?.consumerCluster && clusterNamespaceUid === this.#known.clusterNamespaceUid;
  }

  /** Sets the known identities. */
  set(now: ClusterIdentities): void {
    this.#known = now;
  }
}
