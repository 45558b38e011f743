import { version as currentVersion } from './group.js';
import { allKinds, type Kind } from './kinds/all-kinds.js';
import type { KindDefinition, KindVersion } from './kinds/kind.js';
import { type Problem, type SchemaNode, validateTransition, validateValue } from '@hawser/crd';

/**
 * Why the API server would refuse to create this object: types, required fields, enums, patterns, lengths and the rules of the CRD, without asking it.
 * Empty: it would not. Names, metadata and what admission says are not looked at; fields that the kind does not have are dropped by the server, not refused.
 * @throws {RangeError} if the kind has no such version.
 */
export function validate(
  kind: Kind,
  object: unknown,
  version: KindVersion['name'] = currentVersion,
): readonly Problem[] {
  return validateValue(rootNode(kind, version), object);
}

/** Why it would refuse to replace `before` by `after`: as {@link validate}, and fields that may not change. */
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
