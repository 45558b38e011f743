import { type Binding, finalizers, malformation } from '@hawser/core-kbind';
import { objectKey } from '@hawser/client';
import { compareBytes } from '@hawser/json';

/** The full name of a binding, for messages and for kubectl. */
export function nameOf({ metadata: { namespace, name } }: Binding): string {
  return namespace === undefined
    ? `clusterbindings.core.kbind.io ${name}`
    : `bindings.core.kbind.io ${name} --namespace ${namespace}`;
}

/** The APIs that a binding lists, once each. */
export function apisOf(binding: Binding): readonly string[] {
  const kind = binding.metadata.namespace === undefined ? 'ClusterBinding' : 'Binding';
  if (malformation(kind, binding) !== undefined) return [];
  return [...new Set(binding.spec.apis.map(({ name }) => name))];
}

/**
 * Of all bindings that list the API for some of the same objects, the one that has the say over this one; undefined: this one has. A ClusterBinding comes before a Binding, the older before the younger; one that is on its
 * way out goes on until it is gone, but has no say over others that are not.
 */
export function rivalOf(binding: Binding, api: string, all: readonly Binding[]): Binding | undefined {
  const isGoing = binding.metadata.deletionTimestamp !== undefined;
  return all
    .filter((other) => isAnother(other, binding) && overlaps(other, binding) && apisOf(other).includes(api))
    .filter((other) => {
      if (other.metadata.deletionTimestamp === undefined)
        return isGoing ? covers(other, binding) : precedes(other, binding);
      return !isGoing && other.metadata.finalizers?.includes(finalizers.cleanup) === true;
    })
    .sort((a, b) => (precedes(a, b) ? -1 : 1))[0];
}

/** Namespaces in which other bindings that stay have the say once this one is gone. */
export function heirsOf(binding: Binding, api: string, all: readonly Binding[]): readonly string[] {
  return [
    ...new Set(
      all
        .filter((other) => isAnother(other, binding) && other.metadata.deletionTimestamp === undefined)
        .filter((other) => overlaps(other, binding) && apisOf(other).includes(api))
        .flatMap(({ metadata: { namespace } }) => namespace ?? []),
    ),
  ].sort(compareBytes);
}

function isAnother(a: Binding, b: Binding): boolean {
  return objectKey(a.metadata) !== objectKey(b.metadata);
}

function overlaps({ metadata: a }: Binding, { metadata: b }: Binding): boolean {
  return a.namespace === undefined || b.namespace === undefined || a.namespace === b.namespace;
}

/** Whether all objects of `b` are among those of `a`. */
function covers({ metadata: a }: Binding, { metadata: b }: Binding): boolean {
  return a.namespace === undefined || a.namespace === b.namespace;
}

function precedes(a: Binding, b: Binding): boolean {
  const rank = ({ metadata: { namespace, creationTimestamp = '', name } }: Binding): string =>
    `${namespace === undefined ? 0 : 1}/${creationTimestamp}/${name}`;
  return compareBytes(rank(a), rank(b)) < 0;
}
