import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import type { ControllerContext } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync } from '@hawser/syncagent-sync';

export interface RunningSyncOptions {
  readonly publishedResource: PublishedResource;
  readonly kinds: PublishedKinds;
  /** Everything that the sync was made of: while it is the same, the sync goes on. */
  readonly fingerprint: string;
  readonly sync: Sync;
  /** URLs of those that it was made with. */
  readonly engaged: readonly string[];
  /** URLs at which it had objects before, as far as that was written down. */
  readonly endpoints?: readonly string[] | undefined;
}

/** The one sync of a PublishedResource (`spec/api-syncagent.md §10.3.1`). */
export class RunningSync {
  readonly publishedResource: PublishedResource;
  readonly uid: string;
  readonly kinds: PublishedKinds;
  readonly fingerprint: string;
  readonly sync: Sync;
  readonly #engaged: Set<string>;
  /** With the workspaces that have objects with our finalizer there, once it has left the slice. */
  readonly #endpoints: Map<string, readonly string[] | undefined>;
  #stopped: Promise<void> | undefined;

  constructor({ publishedResource, kinds, fingerprint, sync, engaged, endpoints = [] }: RunningSyncOptions) {
    this.publishedResource = publishedResource;
    this.uid = publishedResource.metadata.uid ?? publishedResource.metadata.name;
    this.kinds = kinds;
    this.fingerprint = fingerprint;
    this.sync = sync;
    this.#engaged = new Set(engaged);
    this.#endpoints = new Map([...endpoints, ...engaged].map((url) => [url, undefined]));
  }

  /** Begins; `onFailure` is told if it does not come up. */
  start(ctx: ControllerContext<'service'>, onFailure: (error: unknown) => void): void {
    this.sync.start(ctx).catch((error: unknown) => {
      if (this.#stopped === undefined) onFailure(error);
    });
  }

  /** URLs at which objects of it may have our finalizer: all that it was ever engaged with, but those that it was seen to have nothing at when they went. */
  get endpoints(): readonly string[] {
    return [...this.#endpoints.keys()].sort();
  }

  isEngaged(url: string): boolean {
    return this.#engaged.has(url);
  }

  add(engagement: Engagement): void {
    if (this.#stopped !== undefined) return;
    this.#engaged.add(engagement.url);
    this.#endpoints.set(engagement.url, undefined);
    this.sync.add(engagement);
  }

  /** Its endpoint has left the slice: no workspace binds the export there any more, or the slice is made anew. */
  remove(url: string): void {
    if (!this.#engaged.delete(url)) return;
    // Before its cache goes.
    const holders = this.sync.holdersAt(url);
    if (holders?.size === 0) this.#endpoints.delete(url);
    else this.#endpoints.set(url, holders === undefined ? undefined : [...holders.keys()]);
    this.sync.remove(url);
  }

  /**
   * Forgets endpoints that have left the slice and whose workspaces are all shown elsewhere by now: they have moved, and what they hold with them. Which these were is not known of an endpoint that
   * left while the agent was down: then all workspaces have to be shown of which something is remembered.
   */
  forgetMoved(isShown: (cluster: string) => boolean): void {
    const missing = [...this.#endpoints].filter(([url]) => !this.#engaged.has(url));
    if (missing.length === 0) return;
    const remembered = [...(this.sync.remembered() ?? [])];
    const haveAllMoved = remembered.length > 0 && remembered.every(isShown);
    for (const [url, holders] of missing) if (holders?.every(isShown) ?? haveAllMoved) this.#endpoints.delete(url);
  }

  /** Resolves when nothing of it is in flight. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.sync.stop();
    return this.#stopped;
  }
}

/** Shares in the running watches of a resource: what is taken over by another sync need not be listed again. */
export function holdWatches(
  of: readonly { readonly informers: SharedInformers; readonly resource: Resource }[],
): () => void {
  const held = of.flatMap(({ informers, resource }) =>
    informers.active
      .filter(
        ({ spec }) =>
          spec.resource.group === resource.group &&
          spec.resource.version === resource.version &&
          spec.resource.resource === resource.resource,
      )
      .map(({ spec }): InformerHandle<KubeObject> => informers.acquire(spec)),
  );
  return () => {
    for (const handle of held) handle.release();
  };
}
