import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  apiGroup,
  apiVersion,
  bundleOwnerReference,
  hawserAnnotations,
} from '@hawser/kube-bind';
import type { Observed } from './observed.js';
import { type BundleProblem, deletionHeld, foreign, kept, listFailed, otherSecret, terminating } from './problems.js';

export type Action =
  | { readonly kind: 'create'; readonly binding: APIServiceBinding }
  /** Only of a binding of this bundle, in the version that was decided about, whose export is proven gone. */
  | { readonly kind: 'delete'; readonly binding: APIServiceBinding };

export interface Decision {
  readonly actions: readonly Action[];
  /** What no action of ours can mend. */
  readonly problems: readonly BundleProblem[];
}

/** The bindings of the bundle whose exports are missing: what became of these has to be found out before {@link decide}. Pure. */
export function missing({ bundle, exports, bindings }: Omit<Observed, 'absences'>): readonly APIServiceBinding[] {
  if (exports.kind === 'unreadable') return [];
  const exported = new Set(exports.exports.map(({ name }) => name));
  return [...bindings.values()].filter(
    (binding) =>
      isOwned(binding, bundle) &&
      binding.metadata.deletionTimestamp === undefined &&
      !exported.has(binding.metadata.name),
  );
}

/**
 * Decides about one bundle (spec/konnector.md §6.3). Pure.
 *
 * A binding is deleted only if its export is proven gone one by one, and, if it has objects, was seen to go, and not too many at once; and never while nothing at all is exported, since that is what a provider looks like that
 * was set up anew, or whose CRDs were (§17.8, R33).
 */
export function decide(observed: Observed): Decision {
  const { bundle, exports, bindings, absences } = observed;
  if (bundle.metadata.deletionTimestamp !== undefined) return { actions: [], problems: [] };
  if (exports.kind === 'unreadable') return { actions: [], problems: [listFailed(exports.error)] };
  const actions: Action[] = [];
  const problems: BundleProblem[] = [];

  for (const { name, terminating: going } of exports.exports.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const binding = bindings.get(name);
    if (binding === undefined) {
      if (!going) actions.push({ kind: 'create', binding: bindingOf(bundle, name) });
    } else if (!isOwned(binding, bundle)) problems.push(foreign(binding));
    else if (binding.metadata.deletionTimestamp !== undefined) problems.push(terminating(binding));
    else if (!sameSecret(binding, bundle)) problems.push(otherSecret(binding));
  }
  for (const binding of missing(observed)) {
    const { name } = binding.metadata;
    const absence = absences.get(name) ?? { kind: 'recent' };
    switch (absence.kind) {
      case 'recent':
      case 'exists':
        break;
      case 'unproven':
        problems.push(kept(name, absence.why));
        break;
      case 'held':
        problems.push(
          exports.exports.length === 0
            ? kept(name, 'the provider exports nothing at all any more.')
            : deletionHeld(name, bundle.metadata.name, absence),
        );
        break;
      case 'gone':
        if (exports.exports.length === 0) problems.push(kept(name, 'the provider exports nothing at all any more.'));
        else actions.push({ kind: 'delete', binding });
        break;
    }
  }
  return { actions, problems };
}

/** By name and uid: a bundle of the same name that was there before is another one. */
export function isOwned({ metadata }: APIServiceBinding, bundle: APIServiceBindingBundle): boolean {
  return (metadata.ownerReferences ?? []).some(
    (owner) =>
      owner.kind === 'APIServiceBindingBundle' &&
      owner.apiVersion.split('/', 1)[0] === apiGroup &&
      owner.name === bundle.metadata.name &&
      owner.uid === bundle.metadata.uid,
  );
}

/**
 * A person looks at the bundle and not at each of its bindings: what the bundle accepts of claims, they accept. They are for the bundle's provider, whose exports they are made for, even if
 * the Secret leads to another one just now.
 */
function bindingOf(bundle: APIServiceBindingBundle, name: string): APIServiceBinding {
  const inherited = [hawserAnnotations.acceptedClaims, hawserAnnotations.providerIdentity].flatMap((key) => {
    const value = bundle.metadata.annotations?.[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return {
    apiVersion,
    kind: 'APIServiceBinding',
    metadata: {
      name,
      ...(inherited.length === 0 ? {} : { annotations: Object.fromEntries(inherited) }),
      ownerReferences: [bundleOwnerReference(bundle)],
    },
    ...(bundle.spec === undefined ? {} : { spec: { kubeconfigSecretRef: bundle.spec.kubeconfigSecretRef } }),
  };
}

function sameSecret(binding: APIServiceBinding, bundle: APIServiceBindingBundle): boolean {
  const [a, b] = [binding.spec?.kubeconfigSecretRef, bundle.spec?.kubeconfigSecretRef];
  return a?.namespace === b?.namespace && a?.name === b?.name && a?.key === b?.key;
}
