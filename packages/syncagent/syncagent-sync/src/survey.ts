/** Inputs of a {@link Survey}. */
export interface SurveyOptions {
  /** The caches of the published resource, one for each virtual workspace. */
  readonly handles: () => readonly object[];
  /** Whether all caches are filled. */
  readonly isComplete: () => boolean;
  /** Whether all virtual workspaces are known. */
  readonly isWhole: () => boolean;
  /** Resolves when every key that waits now was looked at. */
  readonly idle: () => Promise<void>;
  readonly isOver: () => boolean;
  /** The first look at every object of some caches is over. */
  readonly onLooked: () => void;
  /** The same for all caches, and there are no others. */
  readonly onSurveyed: () => void;
}

/**
 * Detects when the absence of objects and of problems is meaningful: all caches are filled, and every object was looked
 * at once.
 */
export class Survey {
  readonly #options: SurveyOptions;
  /** Caches of workspaces whose objects have all been looked at. */
  readonly #looked = new WeakSet<object>();
  #running = false;
  #once = false;

  constructor(options: SurveyOptions) {
    this.#options = options;
  }

  /** True once every object was looked at with all caches filled. Stays true. */
  get once(): boolean {
    return this.#once;
  }

  /** A new virtual workspace starts it anew: before its objects were looked at, their references are unknown. */
  get isOver(): boolean {
    const { isComplete, isWhole, handles } = this.#options;
    return isComplete() && isWhole() && handles().every((handle) => this.#looked.has(handle));
  }

  /** Call it whenever a cache is filled, or {@link SurveyOptions.isWhole} may have changed. */
  run(): void {
    const { handles, isComplete, idle, isOver, onLooked, onSurveyed } = this.#options;
    if (this.#running || isOver() || !isComplete()) return;
    const looking = handles();
    if (this.#once && looking.every((handle) => this.#looked.has(handle))) {
      if (this.isOver) onSurveyed();
      return;
    }
    this.#running = true;
    void idle().then(() => {
      this.#running = false;
      if (isOver()) return;
      for (const handle of looking) this.#looked.add(handle);
      this.#once = true;
      onLooked();
      // Also for one that came meanwhile.
      this.run();
    });
  }
}
