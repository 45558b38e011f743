import { version as currentVersion } from './group.js';
import { allKinds, type Kind } from './kinds/all-kinds.js';
import type { KindDefinition, KindVersion } from './kinds/kind.js';
import { type Problem, type SchemaNode, validateTransition, validateValue } from '@hawser/crd';

/**
 * Why the API server would refuse to create this object, without asking it. Checks types, required fields, enums,
 * patterns, lengths and the rules of the CRD. Does not check names, metadata or admission; the server drops unknown
 * fields, it does not refuse them. Empty: it would not refuse.
 * @throws {RangeError} if the kind has no such version.
 */
export function validate(
  kind: Kind,
  object: unknown,
  version: KindVersion['name'] = currentVersion,
): readonly Problem[] {
  return validateValue(rootNode(kind, version), object);
}

/** Why the API server would refuse to replace `before` by `after`: {@link validate}, plus immutable fields. */
export function validateUpdate(
  kind: Kind,
  before: unknown,
  after: unknown,
  version: KindVersion['name'] = currentVersion,
): readonly Problem[] {
  const node = rootNode(kind, version);
  return [...validateValue(node, after), ...validateTransition(node, before, after)];
}

function rootNode(kind: Kind, version: KindVersion['name']): SchemaNode {
  const definition: KindDefinition = allKinds[kind];
  const found = definition.versions.find(({ name }) => name === version);
  if (found === undefined) throw new RangeError(`${kind} has no version ${version}`);
  return found.schema.node;
}
