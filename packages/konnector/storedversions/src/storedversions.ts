import { type KubeObject, type OwnerReference, type Resource, getIfExists } from '@hawser/client';
import { type Controller, type Setup, controller } from '@hawser/controller';
import {
  type APIServiceBinding,
  type CustomResourceDefinition,
  type Dialect,
  bindingOwners,
  resources,
} from '@hawser/kube-bind';
import { Actor } from './act.js';
import { type Seen, type Step, decideStep } from './decide.js';

export interface StoredVersionsOptions {
  /** How long a storage version must have been seen before objects are rewritten: all API servers must have heard of it. Default 10 000 ms. */
  readonly settleMs?: number | undefined;
  /** Default 250. */
  readonly pageSize?: number | undefined;
  /** Objects of one resource that are rewritten at the same time. Default 8. */
  readonly atOnce?: number | undefined;
  /** Of the consumer. */
  readonly dialect: Dialect;
  /** Which CRDs are bound, where no APIServiceBinding owns any: then no condition tells. Default: those that an APIServiceBinding of the dialect owns. */
  readonly isBound?: ((crd: KubeObject) => boolean) | undefined;
}

/**
 * When the storage version of a bound CRD has moved, has its objects stored anew and then takes the old versions out of `status.storedVersions`, without which the API server lets no version go.
 * Works on the consumer alone, on CRDs that an APIServiceBinding owns. All its state is in the CRD: interrupted at any point, it begins anew, and what is done costs no write.
 */
export function createStoredVersions(options: StoredVersionsOptions): Controller<'consumer'> {
  const { settleMs = 10_000, pageSize = 250, atOnce = 8, dialect, isBound } = options;
  const ownerOf = (crd: KubeObject): OwnerReference | undefined => bindingOwners(crd, dialect.apiVersion)[0];
  const concerns = isBound ?? ((crd: KubeObject): boolean => ownerOf(crd) !== undefined);
  return controller(isBound === undefined ? 'storedversions' : 'kbind-storedversions', (setup: Setup<'consumer'>) => {
    const { clock, watch } = setup;
    const { consumer } = setup.clusters;
    const crds = watch(
      consumer,
      { resource: resources.customResourceDefinitions, kind: 'CustomResourceDefinition', projection: 'metadata' },
      (crd) => (concerns(crd) ? crd.metadata.name : undefined),
    );
    const ages = new Ages();
    const actor = new Actor(setup, { pageSize, atOnce });
    return {
      concurrency: 1,
      async observe(name, signal): Promise<Seen> {
        if (crds.get(name) === undefined) {
          ages.forget(name);
          return { kind: 'notBound' };
        }
        const live = <T extends KubeObject>(resource: Resource, of: string): Promise<T | undefined> =>
          getIfExists<T>(consumer.client, resource, { name: of }, { signal });
        const crd = await live<CustomResourceDefinition>(resources.customResourceDefinitions, name);
        if (crd === undefined || !concerns(crd)) return { kind: 'notBound' };
        const owner = isBound === undefined ? ownerOf(crd) : undefined;
        const found =
          owner === undefined ? undefined : await live<APIServiceBinding>(resources.apiServiceBindings, owner.name);
        const binding = found?.metadata.uid === owner?.uid ? found : undefined;
        return { kind: 'bound', crd, binding, seenForMs: ages.of(crd, clock.monotonic()), now: clock.now() };
      },
      decide: (seen) => decideStep(seen, settleMs),
      act: (step: Step, signal) => actor.act(step, signal),
    };
  });
}

/** By CRD: how long its spec is seen as it is. */
class Ages {
  readonly #seen = new Map<string, { readonly state: string; readonly atMs: number }>();

  /** `nowMs` is on the monotonic clock. */
  of({ metadata: { name, uid, generation } }: CustomResourceDefinition, nowMs: number): number {
    const state = `${uid ?? ''}/${generation ?? 0}`;
    const known = this.#seen.get(name);
    if (known?.state === state) return nowMs - known.atMs;
    this.#seen.set(name, { state, atMs: nowMs });
    return 0;
  }

  forget(crd: string): void {
    this.#seen.delete(crd);
  }
}
