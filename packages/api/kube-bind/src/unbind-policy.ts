import { finalizers, hawserAnnotations } from './metadata.js';

/**
 * What happens to the provider's copies when an APIServiceBinding is deleted:
 * - `Orphan`: they stay, and the consumer's objects are released. Needs no finalizer.
 * - `Delete`: the consumer's objects are deleted, each with its copy; then the binding goes.
 * - `Block`: the binding stays until its users have deleted all objects.
 */
export type UnbindPolicy = 'Orphan' | 'Delete' | 'Block';

/** Metadata that controls unbinding. */
export interface UnbindMetadata {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/**
 * The policy of a binding, and whether its annotation has an unknown value. An unknown value counts as `Block`, the one
 * policy that loses nothing.
 */
export function unbindPolicyOf({ annotations }: UnbindMetadata): {
  readonly policy: UnbindPolicy;
  readonly unknown?: string;
} {
  const value = annotations?.[hawserAnnotations.unbindPolicy] ?? '';
  switch (value) {
    case '':
    case 'Orphan':
      return { policy: 'Orphan' };
    case 'Delete':
    case 'Block':
      return { policy: value };
    default:
      return { policy: 'Block', unknown: value };
  }
}

/** Why a person forced the unbinding; undefined if no person did. */
export function releasedBecause({ annotations }: UnbindMetadata): string | undefined {
  const reason = annotations?.[hawserAnnotations.release];
  return reason === undefined || reason === '' ? undefined : reason;
}

/**
 * The policy of a deleted binding whose objects are still synced and deleted as usual; undefined if it is not deleted,
 * or if its remains are released.
 */
export function unbindingUnder(metadata: UnbindMetadata): 'Delete' | 'Block' | undefined {
  if (
    metadata.deletionTimestamp === undefined ||
    metadata.finalizers?.includes(finalizers.unbind) !== true ||
    releasedBecause(metadata) !== undefined
  )
    return undefined;
  const { policy } = unbindPolicyOf(metadata);
  return policy === 'Orphan' ? undefined : policy;
}

/** Whether a deleted binding is broken open, and what it holds may not be recorded yet: its finalizer goes after that. */
export function awaitsRecord(metadata: UnbindMetadata): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    metadata.finalizers?.includes(finalizers.unbind) === true &&
    releasedBecause(metadata) !== undefined
  );
}

/** Whether a binding holds its objects: it is not deleted, or its unbind policy still deals with them. */
export function holdsObjects(metadata: UnbindMetadata): boolean {
  return metadata.deletionTimestamp === undefined || unbindingUnder(metadata) !== undefined;
}
