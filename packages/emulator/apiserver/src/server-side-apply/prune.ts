import type { JsonObject } from '@hawser/json';
import { fieldsOfValue } from './fields-of-value.js';
import { FieldSet } from './field-set.js';
import type { Managers, VersionedSet } from './managers.js';
import { withNamedFields } from './named-fields.js';
import { removeFields } from './remove-fields.js';
import { type TrackedType, type TypedObject, convertTyped } from './tracked-type.js';

/** Removes from a merged object what the manager applied last time, does not apply now, and no other manager owns. */
export function prune(
  tracked: TrackedType,
  merged: TypedObject,
  managers: Managers,
  manager: string,
  last: VersionedSet | undefined,
): TypedObject {
  const own = managers.get(manager);
  if (last === undefined || (own?.apiVersion === last.apiVersion && !last.set.difference(own.set).hasMembers))
    return merged;
  const whole = convertTyped(tracked, merged, last.apiVersion);
  if (whole === undefined) return merged;
  const bare = without(whole, withNamedFields(last.set, whole.type));
  const withOwned = addBackOwned(tracked, whole, bare, managers);
  const result = addBackDangling(tracked, whole, withOwned, last);
  return convertTyped(tracked, result, own?.apiVersion ?? merged.apiVersion) ?? merged;
}

/** Restores what any manager owns, the applying one with its new configuration included. */
function addBackOwned(tracked: TrackedType, merged: TypedObject, pruned: TypedObject, managers: Managers): TypedObject {
  const owned = new Map<string, FieldSet>([[merged.apiVersion, FieldSet.empty]]);
  for (const { set, apiVersion } of managers.values())
    owned.set(apiVersion, (owned.get(apiVersion) ?? FieldSet.empty).union(set));
  let result = pruned;
  for (const [apiVersion, set] of owned) {
    const whole = convertTyped(tracked, merged, apiVersion);
    const bare = convertTyped(tracked, result, apiVersion);
    if (whole === undefined || bare === undefined) continue;
    const kept = namedFieldsOf(bare).union(withNamedFields(set, whole.type));
    result = without(whole, namedFieldsOf(whole).difference(kept));
  }
  return result;
}

/** Restores what the manager did not own before: fields without an owner, or of an updater. */
function addBackDangling(
  tracked: TrackedType,
  merged: TypedObject,
  pruned: TypedObject,
  last: VersionedSet,
): TypedObject {
  const bare = convertTyped(tracked, pruned, last.apiVersion);
  if (bare === undefined) return merged;
  const gone = namedFieldsOf(merged).difference(namedFieldsOf(bare));
  return without(merged, gone.intersection(withNamedFields(last.set, merged.type)));
}

function namedFieldsOf(object: TypedObject): FieldSet {
  return withNamedFields(fieldsOfValue(object.value, object.type), object.type);
}

function without(object: TypedObject, fields: FieldSet): TypedObject {
  return { ...object, value: removeFields(object.value, fields, object.type) as JsonObject };
}
