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
  /** Time for all API servers to learn a new storage version before objects are rewritten. Default 10 000 ms. */
  readonly settleMs?: number | undefined;
  /** Default 250. */
  readonly pageSize?: number | undefined;
  /** Objects of one resource rewritten in parallel. Default 8. */
  readonly atOnce?: number | undefined;
  /** Dialect of the consumer. */
  readonly dialect: Dialect;
  /** Selects bound CRDs without an APIServiceBinding; no condition then. Default: CRDs that one of the dialect owns. */
  readonly isBound?: ((crd: KubeObject) => boolean) | undefined;
}

/**
 * Migrates stored objects after a bound CRD's storage version changed, then trims `status.storedVersions`. Without the
 * trim the API server removes no version. Works on the consumer alone, on CRDs owned by an APIServiceBinding. All state
 * is in the CRD: an interrupted run starts again, and finished work costs no write.
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

/** By CRD: how long its spec is unchanged. */
class Ages {
  readonly #seen = new Map<string, { readonly state: string; readonly atMs: number }>();

  /** Age of the spec. `nowMs` is on the monotonic clock. */
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
