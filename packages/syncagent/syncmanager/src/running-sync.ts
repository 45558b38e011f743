import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import type { ControllerContext } from '@hawser/controller';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Engagement, PublishedKinds, Sync } from '@hawser/syncagent-sync';

export interface RunningSyncOptions {
  readonly publishedResource: PublishedResource;
  readonly kinds: PublishedKinds;
  /** Fingerprint of the sync's whole input: while it is equal, the sync continues. */
  readonly fingerprint: string;
  readonly sync: Sync;
  /** URLs of its engagements at creation. */
  readonly engaged: readonly string[];
  /** Recorded URLs at which it had objects before. */
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
  /** For an endpoint that left the slice: its workspaces with objects that have our finalizer. */
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

  /** Starts the sync; calls `onFailure` if the start fails. */
  start(ctx: ControllerContext<'service'>, onFailure: (error: unknown) => void): void {
    this.sync.start(ctx).catch((error: unknown) => {
      if (this.#stopped === undefined) onFailure(error);
    });
  }

  /** URLs at which its objects may have our finalizer: all ever engaged, except those seen empty when they went. */
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

  /** Removes an endpoint that left the slice: no workspace binds the export there, or the slice is being recreated. */
  remove(url: string): void {
    if (!this.#engaged.delete(url)) return;
    // Before its cache is closed.
    const holders = this.sync.holdersAt(url);
    if (holders?.size === 0) this.#endpoints.delete(url);
    else this.#endpoints.set(url, holders === undefined ? undefined : [...holders.keys()]);
    this.sync.remove(url);
  }

  /**
   * Forgets endpoints that left the slice once other endpoints show all their workspaces: these have moved with their
   * objects. If an endpoint left while the agent was down, its workspaces are unknown: then all remembered workspaces
   * must be shown.
   */
  forgetMoved(isShown: (cluster: string) => boolean): void {
    const missing = [...this.#endpoints].filter(([url]) => !this.#engaged.has(url));
    if (missing.length === 0) return;
    const remembered = [...(this.sync.remembered() ?? [])];
    const haveAllMoved = remembered.length > 0 && remembered.every(isShown);
    for (const [url, holders] of missing) if (holders?.every(isShown) ?? haveAllMoved) this.#endpoints.delete(url);
  }

  /** Resolves when nothing is in flight. Idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.sync.stop();
    return this.#stopped;
  }
}

/** Shares the running watches of a resource: a sync that takes over need not list again. */
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
