import { type Problem, validateValue } from '@hawser/crd';
import { publishedResourceKind } from './kinds/published-resource.js';

/**
 * Why the API server would refuse to store this PublishedResource: types, required fields, enums and the rules of the CRD, without asking it. Empty: it
 * would not. Names, metadata and what admission says are not looked at. What the server lets pass and an agent cannot use: `reviewSpec`.
 */
export function validate(object: unknown): readonly Problem[] {
  return publishedResourceKind.versions.flatMap(({ schema }) => validateValue(schema.node, object));
}
