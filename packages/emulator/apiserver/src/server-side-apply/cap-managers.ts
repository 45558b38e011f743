import { compareStrings } from './compare-values.js';
import { type Managed, managerKey, secondsOf } from './managed-fields.js';
import type { VersionedSet } from './managers.js';

/** Number of updaters that an object keeps by name. */
export const maxUpdateManagers = 10;

/**
 * Merges the oldest updaters of one version into one, `ancient-changes`, until at most {@link maxUpdateManagers} are
 * left.
 */
export function capManagers({ managers, times }: Managed): Managed {
  const updaters = [...managers].filter(([, { applied }]) => !applied).map(([key]) => key);
  if (updaters.length <= maxUpdateManagers) return { managers, times };
  updaters.sort((a, b) => secondsOf(times.get(a)) - secondsOf(times.get(b)) || compareStrings(a, b));
  const capped = new Map<string, VersionedSet>(managers);
  const cappedTimes = new Map(times);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const key of updaters) {
    if (count <= maxUpdateManagers) break;
    const versioned = capped.get(key);
    if (versioned === undefined) continue;
    const first = firstOfVersion.get(versioned.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(versioned.apiVersion, key);
      continue;
    }
    const bucket = managerKey({
      manager: 'ancient-changes',
      operation: 'Update',
      apiVersion: versioned.apiVersion,
      subresource: '',
    });
    const before = capped.get(bucket) ?? capped.get(first);
    if (!capped.has(bucket)) capped.delete(first);
    capped.set(bucket, before === undefined ? versioned : { ...versioned, set: versioned.set.union(before.set) });
    capped.delete(key);
    count--;
    const time = times.get(key);
    if (time === undefined) cappedTimes.delete(bucket);
    else cappedTimes.set(bucket, time);
  }
  return { managers: capped, times: cappedTimes };
}
