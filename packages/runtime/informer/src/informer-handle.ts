import type { KubeObject, ObjectKey } from '@hawser/client';
import { type CacheKey, type ClusterKey, toCacheKey } from './cache-key.js';
import type { InformerHandle, InformerHandler, InformerSpec, InformerState, Subscription } from './informer.js';
import { InformerError } from './informer-error.js';
import type { SharedInformer } from './shared-informer.js';

/** One share in an informer. Its handlers and listeners end with it. */
export class SharedInformerHandle implements InformerHandle<KubeObject> {
  readonly spec: InformerSpec;
  readonly #subscriptions = new Set<Subscription>();
  readonly #onRelease: () => void;
  #shared: SharedInformer | undefined;
  #synced = false;

  constructor(shared: SharedInformer, onRelease: () => void) {
    this.spec = shared.spec;
    this.#shared = shared;
    this.#onRelease = onRelease;
  }

  get state(): InformerState {
    return this.#shared?.state ?? { phase: 'stopped' };
  }

  get hasSynced(): boolean {
    return this.#shared?.hasSynced ?? this.#synced;
  }

  get isCurrent(): boolean {
    return this.#shared?.isCurrent ?? false;
  }

  get size(): number {
    return this.#shared?.store.size ?? 0;
  }

  synced(signal?: AbortSignal): Promise<void> {
    const shared = this.#shared;
    if (shared === undefined) return Promise.reject(this.#stopped());
    return shared.hasSynced ? Promise.resolve() : shared.waiters.wait(this, signal);
  }

  get(key: CacheKey | ObjectKey | ClusterKey): KubeObject | undefined {
    return this.#open().store.get(toCacheKey(key));
  }

  list(namespace?: string, cluster?: string): readonly KubeObject[] {
    return this.#open().list(namespace, cluster);
  }

  byIndex(index: string, value: string): readonly KubeObject[] {
    return this.#open().store.byIndex(index, value);
  }

  addIndex(name: string, keys: (object: KubeObject) => readonly string[]): void {
    this.#open().addIndex(name, keys);
  }

  addHandler(handler: InformerHandler<KubeObject>): Subscription {
    return this.#own(this.#open().addHandler(handler, this));
  }

  onStateChange(listener: (state: InformerState) => void): Subscription {
    return this.#own(this.#open().onStateChange(listener));
  }

  observe(object: KubeObject): void {
    this.#shared?.observe(object, this);
  }

  share(key: CacheKey | ObjectKey | ClusterKey, like: KubeObject): void {
    this.#shared?.share(toCacheKey(key), like);
  }

  relist(): void {
    this.#shared?.relist();
  }

  release(): void {
    const shared = this.#shared;
    if (shared === undefined) return;
    this.#synced = shared.hasSynced;
    this.#shared = undefined;
    // First: if this stops the informer, the listeners must hear of it.
    this.#onRelease();
    shared.waiters.rejectOf(this);
    for (const subscription of this.#subscriptions) subscription.close();
  }

  #own(inner: Subscription): Subscription {
    const subscription: Subscription = {
      close: () => {
        this.#subscriptions.delete(subscription);
        inner.close();
      },
    };
    this.#subscriptions.add(subscription);
    return subscription;
  }

  #open(): SharedInformer {
    if (this.#shared === undefined) throw this.#stopped();
    return this.#shared;
  }

  #stopped(): InformerError {
    return new InformerError(
      'Stopped',
      `the informer of ${this.spec.resource.resource} was released or stopped: its cache is gone`,
    );
  }
}
