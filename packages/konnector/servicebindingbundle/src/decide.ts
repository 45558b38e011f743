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
  /** Only for a binding of this bundle, at the version decided about, whose export is proven gone. */
  | { readonly kind: 'delete'; readonly binding: APIServiceBinding };

export interface Decision {
  readonly actions: readonly Action[];
  /** Problems that none of our actions can fix. */
  readonly problems: readonly BundleProblem[];
}

/** Selects bindings of the bundle without an export. The caller must find out why before {@link decide}. Pure. */
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
 * Deletes a binding only if its own export is proven gone. A binding with objects needs a witnessed deletion, and few
 * at once. Deletes nothing while no export exists: a provider, or its CRDs, set up anew looks the same (§17.8, R33).
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

/** Compares name and uid: a former bundle of the same name is a different one. */
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
 * Creates the binding. It accepts the claims that the bundle accepts, because a person reviews the bundle, not each
 * binding. Its provider is the bundle's, even if the Secret leads to another one just now.
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
