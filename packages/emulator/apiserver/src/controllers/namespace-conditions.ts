import type { JsonObject } from '@hawser/json';
import { objectField, objectsField, stringField } from '../object/json.js';

/** Contents left in a namespace that is being deleted. */
export interface Remaining {
  /** Counts by resource, `configmaps.` or `things.example.com`. */
  readonly resources: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  /** Failed deletions. */
  readonly errors: readonly string[];
}

interface Finding {
  readonly reason: string;
  readonly message: string;
}

const fine: Readonly<Record<string, Finding>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

/** A namespace whose status lists what is left; the same object if it already does. */
export function withConditions(namespace: JsonObject, remaining: Remaining, now: string): JsonObject {
  const found = findings(remaining);
  const status = objectField(namespace, 'status') ?? {};
  const before = objectsField(status, 'conditions');
  let changed = false;
  const conditions = [...before];
  for (const [type, good] of Object.entries(fine)) {
    const bad = found[type];
    const wanted = { type, status: bad === undefined ? 'False' : 'True', ...(bad ?? good) };
    const index = conditions.findIndex((condition) => condition['type'] === type);
    const current = conditions[index];
    if (current === undefined) conditions.push({ ...wanted, lastTransitionTime: now });
    else if (
      current['status'] !== wanted.status ||
      current['reason'] !== wanted.reason ||
      current['message'] !== wanted.message
    ) {
      conditions[index] = {
        ...wanted,
        lastTransitionTime: current['status'] === wanted.status ? stringField(current, 'lastTransitionTime') : now,
      };
    } else continue;
    changed = true;
  }
  return changed ? { ...namespace, status: { ...status, conditions } } : namespace;
}

function findings({ resources, finalizers, errors }: Remaining): Readonly<Record<string, Finding | undefined>> {
  return {
    NamespaceDeletionContentFailure:
      errors.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(', ')}`,
          },
    NamespaceContentRemaining:
      resources.size === 0
        ? undefined
        : {
            reason: 'SomeResourcesRemain',
            message: `Some resources are remaining: ${counts(resources, (name, count) => `${name} has ${count} resource instances`)}`,
          },
    NamespaceFinalizersRemaining:
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${counts(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
          },
  };
}

function counts(totals: ReadonlyMap<string, number>, write: (name: string, count: number) => string): string {
  return [...totals]
    .map(([name, count]) => write(name, count))
    .sort()
    .join(', ');
}
