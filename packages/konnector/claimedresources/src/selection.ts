import { type KubeObject, type Resource, resourceName } from '@hawser/client';
import type { InformerHandle, SharedInformers } from '@hawser/informer';
import { isSelected } from '@hawser/rbac';

import type { Claim, Reference } from './claim.js';
import type { Side } from './marks.js';
import { type ReferenceWatch, watchReference } from './reference-watch.js';
import type { Named } from './references.js';

/** Which objects of one resource are claimed, and by whose claims. */
export interface Selection {
  /** Takes the place of the claims before. Watches what their references need. */
  set(claims: readonly Claim[]): void;
  /** Names of the bindings whose claims select an object: `side` is where it stands as an original, `namespace` the consumer's. */
  claimedBy(side: Side, namespace: string, object: KubeObject): readonly string[];
  /** The caches of referencing objects. */
  readonly informers: readonly InformerHandle<KubeObject>[];
  close(): void;
}

/** What Kubernetes itself keeps there is claimed only by name and namespace, and nothing comes in. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);
/** Each cluster makes these in every namespace. */
const OF_EVERY_NAMESPACE: ReadonlySet<string> = new Set(['configmaps/kube-root-ca.crt', 'configmaps/openshift-service-ca.crt', 'serviceaccounts/default']);

interface Watched {
  readonly claim: Claim;
  readonly references: readonly { readonly reference: Reference; readonly watch: ReferenceWatch }[];
}

/** Of objects of `resource`. `changed` is told of what references name anew, or no longer; with nothing when the state of a cache of referencing objects has changed. */
export function createSelection(informers: SharedInformers, resource: Resource, changed: (named: readonly Named[]) => void): Selection {
  let watched: readonly Watched[] = [];
  const closeAll = (which: readonly Watched[]): void => {
    for (const { references } of which) for (const { watch } of references) watch.close();
  };
  const selects = ({ claim, references }: Watched, side: Side, namespace: string, { metadata: { name, labels = {} } }: KubeObject): boolean => {
    const byName = claim.named.some((named) => named.name === name && (named.namespace === undefined || named.namespace === namespace));
    if (SYSTEM_NAMESPACES.has(namespace)) return side === 'consumer' && claim.named.some((named) => named.name === name && named.namespace === namespace);
    if (byName) return true;
    if (claim.labels !== undefined && isSelected(claim.labels, labels)) return true;
    return references.some(({ reference, watch }) => (side === 'provider' || !reference.providerWrites) && watch.names(namespace, name));
  };
  const watch = (reference: Reference): ReferenceWatch => {
    const opened = watchReference(informers, reference, changed);
    opened.informer.onStateChange(() => { changed([]); });
    return opened;
  };
  return {
    set(claims) {
      const before = watched;
      // New ones first: caches that both need stay filled.
      watched = claims.map((claim) => ({ claim, references: claim.references.map((reference) => ({ reference, watch: watch(reference) })) }));
      closeAll(before);
    },
    claimedBy(side, namespace, object) {
      if (OF_EVERY_NAMESPACE.has(`${resourceName(resource)}/${object.metadata.name}`)) return [];
      return [...new Set(watched.filter((one) => selects(one, side, namespace, object)).map(({ claim }) => claim.binding))];
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
