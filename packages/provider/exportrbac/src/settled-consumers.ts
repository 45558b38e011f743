/** Tracks whether each consumer has its own rights, as far as the installation is finished. */
export class SettledConsumers {
  readonly #settled = new Map<string, boolean>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  set(clusterNamespace: string, isSettled: boolean): void {
    if (this.#settled.get(clusterNamespace) === isSettled) return;
    this.#settled.set(clusterNamespace, isSettled);
    this.#changed();
  }

  has(clusterNamespace: string): boolean {
    return this.#settled.get(clusterNamespace) === true;
  }
}
