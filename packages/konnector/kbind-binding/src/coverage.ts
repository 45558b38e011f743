import {
  type Binding,
  connectionNamed,
  finalizers,
  malformation,
  objectSelector,
  selectorsMeet,
} from '@hawser/core-kbind';
import { objectKey } from '@hawser/client';
import { compareBytes } from '@hawser/json';

/** Full name of a binding, for messages and for kubectl. */
export function nameOf({ metadata: { namespace, name } }: Binding): string {
  return namespace === undefined
    ? `clusterbindings.core.kbind.io ${name}`
    : `bindings.core.kbind.io ${name} --namespace ${namespace}`;
}

/** Kind and name of a binding, for messages. */
export function titleOf({ metadata: { namespace, name } }: Binding): string {
  return namespace === undefined ? `ClusterBinding ${name}` : `Binding ${namespace}/${name}`;
}

/** The APIs that a binding lists, without duplicates. */
export function apisOf(binding: Binding): readonly string[] {
  const kind = binding.metadata.namespace === undefined ? 'ClusterBinding' : 'Binding';
  if (malformation(kind, binding) !== undefined) return [];
  return [...new Set(binding.spec.apis.map(({ name }) => name))];
}

/** A binding that takes precedence over another one. */
export interface Rival {
  readonly binding: Binding;
  /** Some rival leads to the same Connection and selects all objects of the other binding, which keeps none. */
  readonly takesAll: boolean;
}

/**
 * The binding that takes precedence over this one, among those that list the API and may select some of the same
 * objects. Undefined: this binding wins.
 * A ClusterBinding precedes a Binding, the older the younger. A terminating binding keeps its precedence until it is
 * gone. Only bindings that take over all of its objects precede it.
 */
export function rivalOf(binding: Binding, api: string, all: readonly Binding[]): Rival | undefined {
  const isGoing = binding.metadata.deletionTimestamp !== undefined;
  const rivals = all
    .filter((other) => isAnother(other, binding) && overlaps(other, binding) && apisOf(other).includes(api))
    .filter((other) => {
      if (other.metadata.deletionTimestamp === undefined)
        return isGoing ? takesOver(other, binding) : precedes(other, binding);
      return !isGoing && other.metadata.finalizers?.includes(finalizers.cleanup) === true;
    })
    .sort((a, b) => (precedes(a, b) ? -1 : 1));
  const [first] = rivals;
  return first === undefined
    ? undefined
    : { binding: first, takesAll: rivals.some((other) => takesOver(other, binding)) };
}

/** Whether another binding, which stays, needs the CRD of the API. */
export function isNeeded(binding: Binding, api: string, all: readonly Binding[]): boolean {
  return all.some(
    (other) =>
      isAnother(other, binding) && other.metadata.deletionTimestamp === undefined && apisOf(other).includes(api),
  );
}

function isAnother(a: Binding, b: Binding): boolean {
  return objectKey(a.metadata) !== objectKey(b.metadata);
}

function overlaps(one: Binding, other: Binding): boolean {
  const { metadata: a } = one;
  const { metadata: b } = other;
  const shares = a.namespace === undefined || b.namespace === undefined || a.namespace === b.namespace;
  return shares && selectorsMeet(objectSelector(one), objectSelector(other));
}

/** Whether `a` selects all objects of `b` and has their copies at the same provider. */
function takesOver(a: Binding, b: Binding): boolean {
  return (
    (a.metadata.namespace === undefined || a.metadata.namespace === b.metadata.namespace) &&
    objectSelector(a).kind === 'all' &&
    connectionNamed(a) === connectionNamed(b)
  );
}

/** Whether `a` wins over `b` if both select an object. */
export function precedes(a: Binding, b: Binding): boolean {
  const rank = ({ metadata: { namespace, creationTimestamp = '', name } }: Binding): string =>
    `${namespace === undefined ? 0 : 1}/${creationTimestamp}/${name}`;
  return compareBytes(rank(a), rank(b)) < 0;
}
