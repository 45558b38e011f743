import type { Case } from './case.js';

/** Cases in which the embedded server answers otherwise than the real one, and in what. They are skipped, and counted as skipped. */
const differences: Readonly<Record<string, string>> = {
  'errors: kind and version of a custom resource must fit': 'a warning about an unknown field is missing',
  'rules: a rule that would cost too much': 'the cost of rules is not estimated, so the CRD is taken',
  'rules: strings that could grow': 'the cost of rules is not estimated, so the CRD is taken',
  'discovery: the paths of OpenAPI v3': 'the content type is that of JSON',
  'discovery: OpenAPI v3 of a custom resource: its schema': 'int-or-string comes without its anyOf',
  'discovery: OpenAPI v3 of what is not there': 'the 404 has a body',
};

/** In what the embedded server is known to differ in a case; undefined: in nothing. */
export function knownDifference({ group, title }: Pick<Case, 'group' | 'title'>): string | undefined {
  return differences[`${group}: ${title}`];
}

/** `group: title` of every listed case. */
export const differentCases: readonly string[] = Object.keys(differences);
