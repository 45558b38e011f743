import { type Problem, validateValue } from '@hawser/crd';
import { publishedResourceKind } from './kinds/published-resource.js';

/**
 * Why the API server would refuse to store this PublishedResource, without asking it. Checks types, required fields,
 * enums and the rules of the CRD. Does not check names, metadata or admission. Empty: it would not refuse. For specs
 * that the server admits and an agent cannot use see `reviewSpec`.
 */
export function validate(object: unknown): readonly Problem[] {
  return publishedResourceKind.versions.flatMap(({ schema }) => validateValue(schema.node, object));
}
