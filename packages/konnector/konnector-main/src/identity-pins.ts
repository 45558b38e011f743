import { type Client, type KubeObject, type Resource, isConflict, isForbidden, isNotFound } from '@hawser/client';
import { hawserAnnotations } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';

import type { Member } from './observed.js';

/** The clusters that a binding or bundle is bound to. */
export interface Identities {
  readonly provider: string | undefined;
  readonly consumer: string | undefined;
}

/**
 * Remembers each member's first provider: in annotations, which survive a restart and do not disturb a Go konnector; in
 * memory if they cannot be written.
 */
export interface IdentityPins {
  /** The provider that the member is bound to; undefined: none yet. */
  providerOf(member: Member, object: KubeObject): string | undefined;
  /**
   * Notes that the member is connected to this provider, and its Secret, read live, leads there. The first one counts.
   */
  note(member: Member, uid: string | undefined, provider: string): void;
  /** Forgets a member replaced by another one, or whose other cluster a person has accepted. */
  forget(member: Member): void;
  /** Writes identities missing from the object; sends a request only for a change. Resolves to the object after it. */
  write<T extends KubeObject>(resource: Resource, object: T, identities: Identities, signal: AbortSignal): Promise<T>;
}

/** The clusters that an object names as its own. */
export function pinnedIn(object: KubeObject): Identities {
  const { annotations = {} } = object.metadata;
  const value = (key: string): string | undefined => (annotations[key] === '' ? undefined : annotations[key]);
  return { provider: value(hawserAnnotations.providerIdentity), consumer: value(hawserAnnotations.consumerIdentity) };
}

/** Whether two versions of an object are bound to the same clusters. */
export function samePins(a: KubeObject, b: KubeObject): boolean {
  const [before, after] = [pinnedIn(a), pinnedIn(b)];
  return before.provider === after.provider && before.consumer === after.consumer;
}

export function createIdentityPins(client: Client, logger: Logger): IdentityPins {
  /** For one object: another one of that name is not bound yet. */
  const noted = new Map<Member, { readonly uid: string | undefined; readonly provider: string }>();
  /** Objects with refused writes: reported once each. */
  const refused = new Set<string | undefined>();
  return {
    providerOf(member, object) {
      const memory = noted.get(member);
      return pinnedIn(object).provider ?? (memory?.uid === object.metadata.uid ? memory?.provider : undefined);
    },
    note(member, uid, provider) {
      if (noted.get(member)?.uid !== uid) noted.set(member, { uid, provider });
    },
    forget: (member) => {
      noted.delete(member);
    },
    async write<T extends KubeObject>(
      resource: Resource,
      object: T,
      { provider, consumer }: Identities,
      signal: AbortSignal,
    ): Promise<T> {
      const pinned = pinnedIn(object);
      const annotations = {
        ...(pinned.provider === undefined && provider !== undefined
          ? { [hawserAnnotations.providerIdentity]: provider }
          : {}),
        ...(pinned.consumer === undefined && consumer !== undefined
          ? { [hawserAnnotations.consumerIdentity]: consumer }
          : {}),
      };
      const { name, uid, resourceVersion } = object.metadata;
      if (Object.keys(annotations).length === 0 || refused.has(uid)) return object;
      try {
        return await client.patch<T>(
          resource,
          { name },
          { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations } } },
          { signal },
        );
      } catch (error) {
        if (isForbidden(error)) {
          refused.add(uid);
          logger.warn(
            'Which clusters this is bound to is remembered only until the next start: it may not be written down',
            { kind: object.kind, object: name, error },
          );
          return object;
        }
        // Its next event brings it back.
        if (isConflict(error) || isNotFound(error)) return object;
        throw error;
      }
    },
  };
}
