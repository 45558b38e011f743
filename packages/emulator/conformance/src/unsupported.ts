import type { Case } from './case.js';

/**
 * Cases that the embedded server answers with 501, and why it does not do what they ask for. A case that is listed here and has no 501 in its transcript
 * is a failure, and so is a 501 of one that is not listed.
 */
const reasons: Readonly<Record<string, string>> = {
  'customresourcedefinitions: webhook conversion without a webhook':
    'versions are converted by webhooks nowhere in it, so it does not judge their configuration either',
};

/** Why the embedded server cannot do what a case asks for; undefined if it can. */
export function unsupportedReason({ group, title }: Pick<Case, 'group' | 'title'>): string | undefined {
  return reasons[`${group}: ${title}`];
}

/** `group: title` of every listed case. */
export const unsupportedCases: readonly string[] = Object.keys(reasons);
