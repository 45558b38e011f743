import type { Dialect } from '@hawser/kube-bind';
import { dialects } from '@hawser/klutch';
import { consumerPolicyName } from './admission-policy.js';
import type { Offer } from './export-object.js';
import type { ObservedConsumer } from './observed.js';
import type { NamespaceAccess } from './namespace-access.js';
import type { Refusal } from './refusal.js';

/** Location of a consumer's objects among all objects of a resource on the provider. Closed. */
export type Reach =
  /** In namespaces: everything in its `own`, and its marked objects in those shared with others. */
  | { readonly kind: 'namespaces'; readonly own: ReadonlySet<string>; readonly shared: ReadonlySet<string> }
  /** Cluster-scoped objects whose names begin with the consumer's prefix. */
  | { readonly kind: 'ownNames' }
  /** Cluster-scoped objects of any name with the consumer's mark. */
  | { readonly kind: 'ownMarks' };

/** Nothing would separate the consumer's objects from those of others. */
export interface Nowhere {
  readonly kind: 'nowhere';
  readonly refusal: Refusal;
}

/** Locates a consumer's objects of an offered resource. Pure. The gateway shows these; rights follow them there. */
export function reachOf(
  dialect: Dialect,
  observed: Pick<ObservedConsumer, 'clusterNamespace' | 'prefixSharedWith' | 'policy'>,
  { open, shared }: NamespaceAccess,
  { resource, scope, isolation }: Offer,
): Reach | Nowhere {
  const { clusterNamespace, prefixSharedWith, policy } = observed;
  if (scope === 'Namespaced') {
    const own = new Set(open.filter((name) => !shared.includes(name)));
    // Without the policy a consumer could mark another's object, and would see it then.
    return { kind: 'namespaces', own, shared: new Set(policy.kind === 'enforced' ? shared : []) };
  }
  if (isolation === 'Namespaced') return { kind: 'namespaces', own: new Set([clusterNamespace]), shared: new Set() };
  if (policy.kind === 'absent')
    return nowhere({ kind: 'policy', resource, policy: consumerPolicyName(dialect), what: policy.what });
  if (isolation === 'None') return { kind: 'ownMarks' };
  return prefixSharedWith === undefined
    ? { kind: 'ownNames' }
    : nowhere({ kind: 'prefix', resource, other: prefixSharedWith });
}

const nowhere = (refusal: Refusal): Nowhere => ({ kind: 'nowhere', refusal });

/** The facts that identify an object's owner. */
export interface Placed {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Whether an object is the consumer's: it is within reach, and bears no other consumer's mark. Pure. An object with the
 * marks of two consumers belongs to neither.
 */
export function isReached(
  clusterNamespace: string,
  reach: Reach,
  { name, namespace = '', annotations = {} }: Placed,
): boolean {
  let marked = false;
  for (const dialect of dialects) {
    const mark = annotations[dialect.annotations.clusterNamespace];
    if (mark === undefined) continue;
    if (mark !== clusterNamespace) return false;
    marked = true;
  }
  switch (reach.kind) {
    case 'namespaces':
      return reach.own.has(namespace) || (marked && reach.shared.has(namespace));
    case 'ownNames':
      return namespace === '' && name.startsWith(`${clusterNamespace}-`);
    case 'ownMarks':
      return namespace === '' && marked;
  }
}
