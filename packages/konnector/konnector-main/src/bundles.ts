import { statusPatch } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import type { Cluster } from '@hawser/controller';
import type { InformerHandle } from '@hawser/informer';
import { type SecretKeyRef, tellConditions } from '@hawser/konnector-connection';
import {
  type APIServiceBindingBundle,
  type APIServiceBindingBundleStatus,
  commitStatus,
  resources,
  setBundleSummary,
  setCondition,
} from '@hawser/kube-bind';
import { type BundleObserved, decideBundleConditions } from './bundle-conditions.js';

/** A bundle keeps a connection alive as a binding does, whether anything is exported to it yet or not. */
export interface Bundles {
  names(): readonly string[];
  list(): readonly APIServiceBindingBundle[];
  get(bundle: string): APIServiceBindingBundle | undefined;
  /** Takes an answer of the API server into the cache. */
  observe(bundle: APIServiceBindingBundle): void;
  /** The Secret that the bundle names. */
  refOf(bundle: string): SecretKeyRef | undefined;
  /** Reports what the kubeconfig and the connection say; what is exported is the connection's own to report. Resolves to whether there was anything to write, and whether the API server has it. */
  report(bundle: string, observed: BundleObserved, signal: AbortSignal): Promise<'nothing' | 'stays' | 'undone'>;
}

export interface BundlesOptions {
  readonly consumer: Cluster;
  readonly informer: InformerHandle<APIServiceBindingBundle>;
  readonly clock: Clock;
  readonly random: Random;
  /** Told when a bundle comes, goes, or names another Secret. */
  readonly lookAgain: () => void;
  /** Told when one has changed. */
  readonly changed: (bundle: string, before: APIServiceBindingBundle, after: APIServiceBindingBundle) => void;
  /** Told when one has gone: what was remembered of it says nothing about the next of that name. */
  readonly gone: (bundle: string) => void;
}

/** Where the dialect has none. */
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
  // What is registered ends with the informer's share.
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
      tellConditions(consumer.events, object, conditions);
      informer.observe(written);
      const stands = written.status ?? {};
      return statusPatch(stands, mutate(stands)) === undefined ? 'stays' : 'undone';
    },
  };
}
