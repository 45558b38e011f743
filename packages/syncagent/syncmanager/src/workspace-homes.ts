/**
 * The endpoint through which each workspace is worked on. Several may show one: their URLs overlap (the shard selectors of an endpoint slice, kcp after 0.32.3), or the workspace has moved to
 * another shard and the former one has not told so yet, or cannot be asked. Then it is the most specific of them, as kcp chooses, and of those the one that began to show it last.
 */
export class WorkspaceHomes {
  /** By logical cluster, the URLs that show it, in the order in which they began to. */
  readonly #shown = new Map<string, readonly string[]>();
  readonly #specificities = new Map<string, number>();
  readonly #listeners = new Map<string, (cluster: string) => void>();
  #overlaps = 0;

  /** Undefined: no virtual workspace shows it. */
  homeOf(cluster: string): string | undefined {
    const [first, ...others] = this.#shown.get(cluster) ?? [];
    let home = first;
    for (const url of others)
      if (home === undefined || this.#specificityOf(url) >= this.#specificityOf(home)) home = url;
    return home;
  }

  /** Some workspace is shown by several. */
  get hasOverlaps(): boolean {
    return this.#overlaps > 0;
  }

  /** How many shards a URL is for, as a number that grows as they get fewer. */
  setSpecificity(url: string, specificity: number): void {
    if (this.#specificities.get(url) === specificity) return;
    this.#change(
      [...this.#shown].flatMap(([cluster, urls]) => (urls.length > 1 ? [cluster] : [])),
      () => {
        this.#specificities.set(url, specificity);
      },
    );
  }

  /** `listener` is told of each workspace that is worked on through this URL from now on, and no more. */
  onChange(url: string, listener: (cluster: string) => void): void {
    this.#listeners.set(url, listener);
  }

  /** Idempotent. */
  show(url: string, cluster: string): void {
    const urls = this.#shown.get(cluster) ?? [];
    if (!urls.includes(url)) this.#set(cluster, [...urls, url]);
  }

  /** Idempotent. */
  hide(url: string, cluster: string): void {
    const urls = this.#shown.get(cluster) ?? [];
    if (urls.includes(url))
      this.#set(
        cluster,
        urls.filter((each) => each !== url),
      );
  }

  /** The URL has left the slice: it is told nothing any more. */
  leave(url: string): void {
    this.#listeners.delete(url);
    for (const cluster of [...this.#shown.keys()]) this.hide(url, cluster);
    this.#specificities.delete(url);
  }

  #set(cluster: string, urls: readonly string[]): void {
    const before = this.#shown.get(cluster) ?? [];
    this.#change([cluster], () => {
      if (urls.length === 0) this.#shown.delete(cluster);
      else this.#shown.set(cluster, urls);
      this.#overlaps += Number(urls.length > 1) - Number(before.length > 1);
    });
  }

  #change(clusters: readonly string[], change: () => void): void {
    const before = clusters.map((cluster) => this.homeOf(cluster));
    change();
    clusters.forEach((cluster, at) => {
      const [former, now] = [before[at], this.homeOf(cluster)];
      if (former === now) return;
      for (const url of [former, now]) if (url !== undefined) this.#listeners.get(url)?.(cluster);
    });
  }

  #specificityOf(url: string): number {
    return this.#specificities.get(url) ?? 0;
  }
}
