import { statusPatch } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Cluster } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type SecretKeyRef, recordConditions } from '@hawser/konnector-connection';
import {
  type APIServiceBindingBundle,
  type APIServiceBindingBundleStatus,
  commitStatus,
  resources,
  setBundleSummary,
  setCondition,
} from '@hawser/kube-bind';
import { type BundleObserved, decideBundleConditions } from './bundle-conditions.js';

/** Bundles of the consumer: each keeps a connection alive like a binding does, even without exports. */
export interface Bundles {
  names(): readonly string[];
  list(): readonly APIServiceBindingBundle[];
  get(bundle: string): APIServiceBindingBundle | undefined;
  /** Takes an answer of the API server into the cache. */
  observe(bundle: APIServiceBindingBundle): void;
  /** The Secret that the bundle names. */
  refOf(bundle: string): SecretKeyRef | undefined;
  /**
   * Reports the state of kubeconfig and connection; the connection itself reports on exports. Resolves to whether a
   * write was needed, and whether it stays.
   */
  report(bundle: string, observed: BundleObserved, signal: AbortSignal): Promise<'nothing' | 'stays' | 'undone'>;
}

export interface BundlesOptions {
  readonly consumer: Cluster;
  readonly informer: InformerHandle<APIServiceBindingBundle>;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when a bundle comes, goes, or names another Secret. */
  readonly lookAgain: () => void;
  /** Called when a bundle changes. */
  readonly changed: (bundle: string, before: APIServiceBindingBundle, after: APIServiceBindingBundle) => void;
  /** Called when a bundle is gone: its remembered state does not apply to the next of that name. */
  readonly gone: (bundle: string) => void;
}

/** For dialects without bundles. */
export const noBundles: Bundles = {
  names: () => [],
  list: () => [],
  get: () => undefined,
  observe: () => undefined,
  refOf: () => undefined,
  report: () => Promise.reject(new RangeError('there are no bundles')),
};

export function createBundles({
  consumer,
  informer,
  clock,
  random,
  lookAgain,
  changed,
  gone,
}: BundlesOptions): Bundles {
  // The handlers end with the informer's share.
  informer.addHandler({
    onAdd: lookAgain,
    onUpdate: (before, after) => {
      if (before.metadata.uid !== after.metadata.uid) lookAgain();
      changed(after.metadata.name, before, after);
    },
    onDelete: ({ metadata }) => {
      gone(metadata.name);
      lookAgain();
    },
  });
  return {
    list: () => informer.list(),
    get: (bundle) => informer.get(bundle),
    observe: (bundle) => {
      informer.observe(bundle);
    },
    names: () => informer.list().map(({ metadata }) => metadata.name),
    refOf: (bundle) => informer.get(bundle)?.spec?.kubeconfigSecretRef,
    async report(bundle, observed, signal) {
      const object = informer.get(bundle);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return 'nothing';
      const conditions = decideBundleConditions(observed);
      const mutate = (status: APIServiceBindingBundleStatus): APIServiceBindingBundleStatus => {
        let next = status.conditions;
        for (const condition of conditions) next = setCondition(next, condition, clock.now());
        return { ...status, conditions: setBundleSummary(next, clock.now()) };
      };
      const written = await commitStatus(consumer.client, resources.apiServiceBindingBundles, object, mutate, {
        clock,
        random,
        signal,
      });
      if (written === undefined || written === object) return 'nothing';
      recordConditions(consumer.events, object, conditions);
      informer.observe(written);
      const stands = written.status ?? {};
      return statusPatch(stands, mutate(stands)) === undefined ? 'stays' : 'undone';
    },
  };
}
