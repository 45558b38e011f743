import type { KubeObject, ManagedFieldsEntry } from '@hawser/client';
import { annotations, labels } from '@hawser/core-kbind';
import { ownedByKonnector } from '@hawser/konnector-sync';

/** Maker of related copies: one binding in one consumer cluster. */
export interface Owner {
  readonly bindingUID: string;
  readonly consumerUID: string;
}

/** Origin of a related object by its marks (spec/kbind-v2.md §19). */
export type Marking =
  /** No marks: not a copy. */
  | 'none'
  /** A copy of this binding. */
  | 'own'
  /** A copy of a former binding of this cluster, as after the binding was recreated or restored. */
  | 'former'
  /** A copy of another binding, or of another cluster. */
  | 'another';

/** The uid of the binding that a related object names as its maker; empty: none. */
export function bindingOf({ metadata: { annotations: found = {} } }: KubeObject): string {
  return found[annotations.relatedBinding] ?? '';
}

/** `isBinding`: whether a binding of that uid exists. */
export function markingOf(
  object: KubeObject,
  { bindingUID, consumerUID }: Owner,
  isBinding: (uid: string) => boolean,
): Marking {
  const binding = bindingOf(object);
  const cluster = object.metadata.annotations?.[annotations.consumerClusterUID] ?? '';
  if (binding === '') return 'none';
  if (cluster !== consumerUID) return 'another';
  if (binding === bindingUID) return 'own';
  return isBinding(binding) ? 'another' : 'former';
}

/** The marks of a copy. */
export function marksOf({ bindingUID, consumerUID }: Owner) {
  return {
    labels: { [labels.managed]: 'true' },
    annotations: { [annotations.consumerClusterUID]: consumerUID, [annotations.relatedBinding]: bindingUID },
  } as const;
}

/** An API server stamps managedFields before the creation timestamp. */
const TOLERANCE_MS = 2_000;

/**
 * Whether a konnector wrote the mark of `copy` (read with managedFields) in this object. In a clone another writer did.
 */
export function isWrittenByKonnector({
  metadata: { managedFields = [], creationTimestamp = '' },
}: KubeObject): boolean {
  const made = Date.parse(creationTimestamp);
  const isOfThisObject = ({ time }: ManagedFieldsEntry): boolean =>
    time === undefined || Number.isNaN(made) || Date.parse(time) >= made - TOLERANCE_MS;
  return ownedByKonnector(
    ['metadata', 'annotations', annotations.relatedBinding],
    managedFields.filter(isOfThisObject),
  );
}
