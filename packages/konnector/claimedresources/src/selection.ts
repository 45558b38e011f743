import type { KubeObject, Resource } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';

import type { Claim, Reference } from './claim.js';
import { type ResolvedClaim, type ResolvedReference, claimedBy } from './claimed-by.js';
import type { Side } from './marks.js';
import { type ReferenceWatch, watchReference } from './reference-watch.js';
import type { Named } from './references.js';

/** Selects the claimed objects of one resource, and the bindings that claim them. */
export interface Selection {
  /** Replaces the claims. Watches the objects that their references need. */
  set(claims: readonly Claim[]): void;
  /** Names the bindings whose claims select an object. `side`: where it is an original; `namespace`: the consumer's. */
  claimedBy(side: Side, namespace: string, object: KubeObject): readonly string[];
  /** The caches of referring objects. */
  readonly informers: readonly InformerHandle<KubeObject>[];
  close(): void;
}

interface Watched extends ResolvedClaim {
  readonly references: readonly (ResolvedReference & { readonly watch: ReferenceWatch })[];
}

/**
 * Creates the selection for objects of `resource`. `changed` is called with names that references gained or lost; with
 * nothing when the state of a referring cache has changed.
 */
export function createSelection(
  informers: SharedInformers,
  resource: Resource,
  changed: (named: readonly Named[]) => void,
): Selection {
  let watched: readonly Watched[] = [];
  const closeAll = (which: readonly Watched[]): void => {
    for (const { references } of which) for (const { watch } of references) watch.close();
  };
  const resolve = (reference: Reference): Watched['references'][number] => {
    const opened = watchReference(informers, reference, changed);
    opened.informer.onStateChange(() => {
      changed([]);
    });
    return { reference, watch: opened, names: opened.names };
  };
  return {
    set(claims) {
      const before = watched;
      // New ones first: caches needed by both stay filled.
      watched = claims.map((claim) => ({ claim, references: claim.references.map(resolve) }));
      closeAll(before);
    },
    claimedBy(side, namespace, object) {
      return claimedBy(watched, resource, side, namespace, object);
    },
    get informers() {
      return watched.flatMap(({ references }) => references.map(({ watch }) => watch.informer));
    },
    close() {
      closeAll(watched);
      watched = [];
    },
  };
}
