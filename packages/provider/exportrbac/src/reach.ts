import type { Dialect } from '@hawser/kube-bind';
import { dialects } from '@hawser/klutch';
import { consumerPolicyName } from './admission-policy.js';
import type { Offer } from './export-object.js';
import type { ObservedConsumer } from './observed.js';
import type { Places } from './places.js';
import type { Refusal } from './refusal.js';

/** Where the objects of one consumer are among all objects of a resource on the provider. Closed. */
export type Reach =
  /** In namespaces: all that is in those of its `own`, and what it has marked in those that it shares with others. */
  | { readonly kind: 'namespaces'; readonly own: ReadonlySet<string>; readonly shared: ReadonlySet<string> }
  /** Cluster-scoped objects whose names begin with the consumer's prefix. */
  | { readonly kind: 'ownNames' }
  /** Cluster-scoped objects of any name that bear the consumer's mark. */
  | { readonly kind: 'ownMarks' };

/** Nothing would keep the consumer's objects apart from those of others. */
export interface Nowhere {
  readonly kind: 'nowhere';
  readonly refusal: Refusal;
}

/** Where the objects of a consumer are, of one resource that is offered to it. Pure. What a gateway shows, and what rights go by where there is one. */
export function reachOf(
  dialect: Dialect,
  observed: Pick<ObservedConsumer, 'clusterNamespace' | 'prefixSharedWith' | 'policy'>,
  { open, shared }: Places,
  { resource, scope, isolation }: Offer,
): Reach | Nowhere {
  const { clusterNamespace, prefixSharedWith, policy } = observed;
  if (scope === 'Namespaced') {
    const own = new Set(open.filter((name) => !shared.includes(name)));
    // Without the policy a consumer could put its mark on the object of another, and would see it then.
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

/** What tells whose an object is. */
export interface Placed {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/**
 * Whether an object is the consumer's: it is within reach, and bears the mark of no other consumer. Pure. An object with the marks of two consumers belongs to neither.
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
