import { finalizers, hawserAnnotations } from './metadata.js';

/**
 * What becomes of the provider's copies when an APIServiceBinding is deleted:
 * - `Orphan`: they stay, and the consumer's objects are let go. Needs no finalizer.
 * - `Delete`: the consumer's objects are deleted, each with its copy; then the binding goes.
 * - `Block`: the binding stays until its users have deleted all objects.
 */
export type UnbindPolicy = 'Orphan' | 'Delete' | 'Block';

/** The metadata that tells about unbinding. */
export interface UnbindMetadata {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly deletionTimestamp?: string | undefined;
}

/** The policy of a binding, and whether its annotation says something else. An unknown word counts as `Block`: of all policies it alone loses nothing. */
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

/** Why a person has broken the unbinding open; undefined if it was not. */
export function releasedBecause({ annotations }: UnbindMetadata): string | undefined {
  const reason = annotations?.[hawserAnnotations.release];
  return reason === undefined || reason === '' ? undefined : reason;
}

/**
 * Under which policy a binding is on its way out while its objects are still synced and deleted as ever; undefined if it is not deleted, or if what
 * is left of it is let go.
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

/** Whether a binding holds its objects: it stands, or it is on its way out under a policy that deals with them. */
export function holdsObjects(metadata: UnbindMetadata): boolean {
  return metadata.deletionTimestamp === undefined || unbindingUnder(metadata) !== undefined;
}
