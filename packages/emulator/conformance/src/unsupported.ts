import type { Case } from './case.js';

/**
 * Cases that the embedded server answers with 501, and the reasons. A listed case without a 501 fails, and so does an
 * unlisted one with a 501.
 */
const reasons: Readonly<Record<string, string>> = {
  'customresourcedefinitions: webhook conversion without a webhook':
    'versions are converted by webhooks nowhere in it, so it does not judge their configuration either',
};

/** Why the embedded server does not support a case; undefined if it does. */
export function unsupportedReason({ group, title }: Pick<Case, 'group' | 'title'>): string | undefined {
  return reasons[`${group}: ${title}`];
}

/** `group: title` of every listed case. */
export const unsupportedCases: readonly string[] = Object.keys(reasons);
