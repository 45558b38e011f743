import type { KubeObject, ManagedFieldsEntry } from '@hawser/client';
import { annotations, labels } from '@hawser/core-kbind';
import { ownedByKonnector } from '@hawser/konnector-sync';

/** Whose related copies are meant: those of one binding in one consumer cluster. */
export interface Owner {
  readonly bindingUID: string;
  readonly consumerUID: string;
}

/** What a related object says of itself (spec/kbind-v2.md §19). */
export type Marking =
  /** Nothing: it is somebody's. */
  | 'none'
  /** A copy of this binding. */
  | 'own'
  /** A copy of a binding of this cluster that is no more, as after it was made anew or restored. */
  | 'former'
  /** A copy of another binding, or of another cluster. */
  | 'another';

/** The uid of the binding that a related object names as its maker; empty: none. */
export function bindingOf({ metadata: { annotations: found = {} } }: KubeObject): string {
  return found[annotations.relatedBinding] ?? '';
}

/** `isBinding`: whether a binding of that uid is there. */
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

/** What a copy bears. */
export function marksOf({ bindingUID, consumerUID }: Owner) {
  return {
    labels: { [labels.managed]: 'true' },
    annotations: { [annotations.consumerClusterUID]: consumerUID, [annotations.relatedBinding]: bindingUID },
  } as const;
}

/** A controller has made it as the child of something else, and may have handed its marks down. */
export function hasController({ metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some(({ controller }) => controller === true);
}

/** An API server stamps managedFields before it says when the object was made. */
const TOLERANCE_MS = 2_000;

/** Whether a konnector has written the mark of `copy` (read with managedFields) in this very object: a clone bears marks that its maker wrote. */
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
