import { getIfExists, isForbidden, isTerminating } from '@hawser/client';
import { type Controller, type Setup, controller } from '@hawser/controller';
import { type AppClusterBinding, finalizers } from '@hawser/klutch';
import { resources, type Secret } from '@hawser/kube-bind';
import { Actor } from './actor.js';
import { watchCaches } from './caches.js';
import { decideStep, type Seen, type Step } from './decide-step.js';
import { fieldManager } from './marks.js';
import { observeDeletion } from './observe-deletion.js';
import type { Settings, Source } from './observed.js';
import { createSourceWatches } from './source-watches.js';

export interface AppClusterBindingOptions {
  /**
   * Image of the deployed konnectors. Default: each AppClusterBinding must name its own in
   * `spec.konnector.overrides.image`.
   */
  readonly konnectorImage?: string | undefined;
  /** Display name of the provider. Default `Hawser`. */
  readonly prettyName?: string | undefined;
  /** AppClusterBindings processed at a time. Default 4. */
  readonly concurrency?: number | undefined;
  /** Interval for checking whether deleted objects are gone. Default 2 s. */
  readonly deletionPollMs?: number | undefined;
}

const heldPollMs = 30_000;

/**
 * Implements Klutch's control plane mode (spec/klutch.md §13). Each AppClusterBinding gets a root namespace with
 * everything that a konnector needs to bring APIs into an app cluster, and, on request, the konnector. Deleting an
 * AppClusterBinding deletes no namespace with instances unless its annotation `hawser.dev/deletion-policy` is `Delete`.
 */
export function createAppClusterBindingController(options: AppClusterBindingOptions = {}): Controller<'provider'> {
  const { konnectorImage, prettyName = 'Hawser', concurrency = 4, deletionPollMs = 2_000 } = options;
  const settings: Settings = { konnectorImage, prettyName };
  return controller('appclusterbinding', (setup: Setup<'provider'>) => {
    const { clock, random } = setup;
    const { client, informers } = setup.clusters.provider;
    const caches = watchCaches(setup);
    const sources = createSourceWatches(informers, (key) => {
      setup.look(key, 'normal');
    });
    setup.scope.own(sources);
    const actor = new Actor(setup, caches, settings);

    const observe = async (key: string, signal: AbortSignal, before: Seen | undefined): Promise<Seen> => {
      const binding = caches.self.get(key);
      if (binding === undefined || isTerminating(binding)) {
        sources.follow(key, undefined);
        actor.forget(key);
        if (binding?.metadata.finalizers?.includes(finalizers.appClusterBindingCleanup) !== true)
          return { kind: 'gone' };
        const observed = await observeDeletion(client, binding, signal);
        const emptyInMs = heldPollMs * (0.8 + 0.4 * random());
        return { kind: 'ending', observed, now: clock.now(), goneInMs: deletionPollMs, emptyInMs };
      }
      sources.follow(key, binding.spec.kubeconfigSecretRef);
      const source = before?.kind === 'standing' ? before.observed.source : await readSource(setup, binding, signal);
      const observed = { ...caches.snapshot(binding), source, unreachable: actor.unreachable(key) };
      return { kind: 'standing', observed, now: clock.now() };
    };
    return {
      concurrency,
      fieldManager,
      takesAll: true,
      observe,
      decide: (seen) => decideStep(settings, seen),
      act: (step: Step, signal, seen) => actor.act(step, seen, signal),
      reportRefusal: (error, { observed, action }, signal) => actor.reportRefusal(error, observed, action, signal),
    };
  });
}

async function readSource(
  { clusters: { provider } }: Setup<'provider'>,
  { spec: { kubeconfigSecretRef } }: AppClusterBinding,
  signal: AbortSignal,
): Promise<Source> {
  const { namespace, name } = kubeconfigSecretRef;
  try {
    const secret = await getIfExists<Secret>(provider.client, resources.secrets, { namespace, name }, { signal });
    return secret === undefined ? { kind: 'absent' } : { kind: 'found', secret };
  } catch (error) {
    if (isForbidden(error)) return { kind: 'forbidden' };
    throw error;
  }
}
