/**
 * Assigns each workspace one endpoint as its home. Several endpoints may show a workspace. Their URLs overlap (shard
 * selectors of an endpoint slice, kcp after 0.32.3), or the workspace moved to another shard and the former one is late
 * or out of reach. The home is the most specific endpoint, as in kcp; among equals the latest to show it.
 */
export class WorkspaceHomes {
  /** By logical cluster: the URLs that show it, oldest first. */
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

  /** Whether several endpoints show one workspace. */
  get hasOverlaps(): boolean {
    return this.#overlaps > 0;
  }

  /** Sets the specificity of a URL: a number that grows as its shards get fewer. */
  setSpecificity(url: string, specificity: number): void {
    if (this.#specificities.get(url) === specificity) return;
    this.#change(
      [...this.#shown].flatMap(([cluster, urls]) => (urls.length > 1 ? [cluster] : [])),
      () => {
        this.#specificities.set(url, specificity);
      },
    );
  }

  /** Calls `listener` for each workspace that gains or loses this URL as its home. */
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

  /** Removes a URL that left the slice, with its listener. */
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
