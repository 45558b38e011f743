import { type NewCondition, conditionTypes, falseCondition } from '@hawser/kube-bind';

import { type Migration, MAX_REFUSED } from './migrate.js';

/** Start of a CRD's text; its blank separates it from a CRD with a longer name. */
export function subject(crd: string): string {
  return `Objects of ${crd} `;
}

/** No severity: everything works, but versions cannot be removed. */
export function problem(
  reason: 'StoredVersionsUnreachable' | 'StoredObjectsRefused' | 'StoredVersionsForbidden',
  crd: string,
  old: readonly string[],
  cause: string,
): NewCondition {
  return falseCondition(
    conditionTypes.storedVersionsMigrated,
    reason,
    '',
    `${subject(crd)}may still be stored as ${old.join(', ')}, which therefore cannot go: ${cause}`,
  );
}

export function refusedText({ refused }: Migration): string {
  const named = refused
    .slice(0, 3)
    .map(({ object, message }) => `${object} (${message})`)
    .join('; ');
  const count =
    refused.length >= MAX_REFUSED
      ? `at least ${MAX_REFUSED} are`
      : refused.length === 1
        ? 'one is'
        : `${refused.length} are`;
  return `${count} refused as they stand: ${named}. Correct them, or what refuses them; it is tried again every 10 minutes.`;
}
