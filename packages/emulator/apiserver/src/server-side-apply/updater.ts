import { ApplyError } from './apply-error.js';
import { checkType, problemsText } from './check-type.js';
import { type Comparison, compareTyped, withoutFields } from './comparison.js';
import { fieldsOfValue } from './fields-of-value.js';
import { FieldSet } from './field-set.js';
import type { Managers, VersionedSet } from './managers.js';
import { mergeTyped } from './merge-typed.js';
import { prune } from './prune.js';
import { reconcileSet } from './reconcile-set.js';
import { type TrackedType, type TypedObject, convertTyped, sameValue } from './tracked-type.js';
import type { JsonObject } from '@hawser/json';

/** Fields that an apply would take from others, by manager. */
export type Conflicts = ReadonlyMap<string, FieldSet>;

export type Applied =
  /** `object` is absent if the apply changes nothing. */
  | { readonly kind: 'applied'; readonly object: JsonObject | undefined; readonly managers: Managers }
  | { readonly kind: 'conflicts'; readonly conflicts: Conflicts };

/**
 * Ownership after an object was replaced; `manager` owns the changed fields. Throws ApplyError if versions do not fit
 * together.
 */
export function updateManagers(
  tracked: TrackedType,
  live: TypedObject,
  updated: TypedObject,
  managers: Managers,
  manager: string,
): Managers {
  const { apiVersion } = updated;
  const change = new Change(tracked, live, updated);
  const current = reconcileManagers(tracked, live, managers);
  const others = change.take(current, manager, change.claims(current, manager));
  const { added, modified, removed } = change.in(apiVersion) ?? {
    added: FieldSet.empty,
    modified: FieldSet.empty,
    removed: FieldSet.empty,
  };
  const own = others.get(manager)?.set ?? FieldSet.empty;
  const set = withoutReset(tracked, apiVersion, own.difference(removed).union(modified).union(added));
  const result = new Map(others);
  if (set.hasMembers) result.set(manager, { set, apiVersion, applied: false });
  else result.delete(manager);
  return result;
}

/** An object with a configuration applied, and its ownership. */
export function applyConfiguration(
  tracked: TrackedType,
  live: TypedObject,
  applied: TypedObject,
  managers: Managers,
  manager: string,
  force: boolean,
): Applied {
  const { apiVersion, type } = applied;
  const current = new Map(reconcileManagers(tracked, live, managers));
  const last = current.get(manager);
  const set = withoutReset(tracked, apiVersion, fieldsOfValue(applied.value, type));
  current.set(manager, { set, apiVersion, applied: true });
  const merged: TypedObject = { value: mergeTyped(live.value, applied.value, type) as JsonObject, type, apiVersion };
  const object = prune(tracked, merged, current, manager, last);
  const change = new Change(tracked, live, object);
  const claims = change.claims(current, manager);
  if (!force && claims.size > 0) return { kind: 'conflicts', conflicts: claims };
  return {
    kind: 'applied',
    object: sameValue(live, object) ? undefined : object.value,
    managers: change.take(current, manager, claims),
  };
}

/** Changes of an object's fields, in each version that its managers use. */
class Change {
  readonly #comparisons = new Map<string, Comparison | undefined>();

  constructor(
    readonly tracked: TrackedType,
    readonly before: TypedObject,
    readonly after: TypedObject,
  ) {}

  /** `undefined`: no such version. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#comparisons.has(apiVersion)) this.#comparisons.set(apiVersion, this.#compare(apiVersion));
    return this.#comparisons.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const before = convertTyped(this.tracked, this.before, apiVersion);
    const after = convertTyped(this.tracked, this.after, apiVersion);
    if (before === undefined || after === undefined) return undefined;
    checkConverted('old', this.before, before);
    checkConverted('new', this.after, after);
    const comparison = compareTyped(before.value, after.value, before.type);
    const reset = this.tracked.resetFields?.(apiVersion);
    return reset === undefined ? comparison : withoutFields(comparison, reset);
  }

  /** Fields that others own and the change sets. */
  claims(managers: Managers, manager: string): Conflicts {
    const claims = new Map<string, FieldSet>();
    for (const [other, { set, apiVersion }] of managers) {
      if (other === manager) continue;
      const comparison = this.in(apiVersion);
      if (comparison === undefined) continue;
      const claimed = set.intersection(comparison.modified.union(comparison.added));
      if (claimed.hasMembers) claims.set(other, claimed);
    }
    return claims;
  }

  /** Managers without the claimed and the removed fields; drops managers without fields. */
  take(managers: Managers, manager: string, claims: Conflicts): Map<string, VersionedSet> {
    const result = new Map<string, VersionedSet>();
    for (const [other, versioned] of managers) {
      const remaining = other === manager ? versioned : this.#remaining(versioned, claims.get(other) ?? FieldSet.empty);
      if (remaining?.set.hasMembers === true) result.set(other, remaining);
    }
    return result;
  }

  #remaining(versioned: VersionedSet, claimed: FieldSet): VersionedSet | undefined {
    const comparison = this.in(versioned.apiVersion);
    return comparison === undefined
      ? undefined
      : withSet(versioned, versioned.set.difference(claimed).difference(comparison.removed));
  }
}

/** A version may lack fields of another. Then the server cannot determine their owners, and refuses the write. */
function checkConverted(which: 'old' | 'new', original: TypedObject, converted: TypedObject): void {
  if (converted.apiVersion === original.apiVersion) return;
  const problems = checkType(converted.value, converted.type, { duplicates: true });
  if (problems.length > 0)
    throw new ApplyError('invalid-type', `failed to convert ${which} object: ${problemsText(problems)}`);
}

function withoutReset(tracked: TrackedType, apiVersion: string, set: FieldSet): FieldSet {
  const reset = tracked.resetFields?.(apiVersion);
  return reset === undefined ? set : set.recursiveDifference(reset);
}

function reconcileManagers(tracked: TrackedType, live: TypedObject, managers: Managers): Managers {
  const result = new Map<string, VersionedSet>();
  for (const [manager, versioned] of managers) {
    const type = versioned.apiVersion === live.apiVersion ? live.type : tracked.typeOf(versioned.apiVersion);
    if (type !== undefined) result.set(manager, withSet(versioned, reconcileSet(versioned.set, type)));
  }
  return result;
}

/** The same where the set is. */
function withSet(versioned: VersionedSet, set: FieldSet): VersionedSet {
  return versioned.set === set ? versioned : { ...versioned, set };
}
