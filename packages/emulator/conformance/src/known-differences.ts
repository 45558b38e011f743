import type { Case } from './case.js';

/** Cases that the embedded server answers differently, and how. They count as skipped. */
const differences: Readonly<Record<string, string>> = {
  'errors: kind and version of a custom resource must fit': 'a warning about an unknown field is missing',
  'rules: a rule that would cost too much': 'the cost of rules is not estimated, so the CRD is taken',
  'rules: strings that could grow': 'the cost of rules is not estimated, so the CRD is taken',
  'discovery: the paths of OpenAPI v3': 'the content type is that of JSON',
  'discovery: OpenAPI v3 of a custom resource: its schema': 'int-or-string comes without its anyOf',
  'discovery: OpenAPI v3 of what is not there': 'the 404 has a body',
};

/** The known difference of the embedded server in a case; undefined: none. */
export function knownDifference({ group, title }: Pick<Case, 'group' | 'title'>): string | undefined {
  return differences[`${group}: ${title}`];
}

/** `group: title` of every listed case. */
export const differentCases: readonly string[] = Object.keys(differences);
