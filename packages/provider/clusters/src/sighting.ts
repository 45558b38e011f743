import type { ClusterBinding } from '@hawser/kube-bind';

/** A heartbeat as this process observed it. */
export interface Sighting {
  /** `status.lastHeartbeatTime` as read. */
  readonly heartbeat: string | undefined;
  /** When it was first seen, on our clock. */
  readonly at: number;
  /** Whether its arrival was observed; false: it was there at the start. */
  readonly arrived: boolean;
}

/** Remembers when the heartbeat of each consumer arrived: the consumer's own clock may be wrong by any amount. */
export interface Sightings {
  /** Undefined, and forgotten, for a ClusterBinding that is gone or terminating. */
  look(key: string, binding: ClusterBinding | undefined, now: number): Seen | undefined;
}

/** A ClusterBinding, and the arrival of its heartbeat. */
export interface Seen {
  readonly binding: ClusterBinding;
  readonly sighting: Sighting;
}

export function createSightings(): Sightings {
  const last = new Map<string, Sighting & { readonly uid: string | undefined }>();
  return {
    look(key, binding, now) {
      if (binding === undefined || binding.metadata.deletionTimestamp !== undefined) {
        last.delete(key);
        return undefined;
      }
      const heartbeat = binding.status?.lastHeartbeatTime;
      const { uid } = binding.metadata;
      const before = last.get(key);
      if (before !== undefined && before.uid === uid && before.heartbeat === heartbeat)
        return { binding, sighting: before };
      const sighting = { uid, heartbeat, at: now, arrived: before !== undefined && before.uid === uid };
      last.set(key, sighting);
      return { binding, sighting };
    },
  };
}
