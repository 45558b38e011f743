import type { KubeObject } from '@hawser/client';
import { type KindDefinition, type Problem, type SchemaNode, validateTransition, validateValue } from '@hawser/crd';
import { specProblem } from '@hawser/kube-bind';
import { version } from './group.js';
import { kinds, type Kind } from './kinds/all-kinds.js';

/**
 * Why the API server would refuse to create this object, without asking it. Checks types, required fields, enums,
 * patterns, lengths and the rules of the CRD. Does not check names, metadata or admission. Empty: it would not refuse.
 */
export function validate(kind: Kind, object: unknown): readonly Problem[] {
  return validateValue(rootNode(kind), object);
}

/** Why the API server would refuse to replace `before` by `after`: {@link validate}, plus immutable fields. */
export function validateUpdate(kind: Kind, before: unknown, after: unknown): readonly Problem[] {
  const node = rootNode(kind);
  return [...validateValue(node, after), ...validateTransition(node, before, after)];
}

const known = new WeakMap<KubeObject, { readonly problem: Problem | undefined }>();

/**
 * The first place where the spec of an object from a server has a type other than its CRD says. It happens where the
 * server's CRD differs.
 */
export function malformation(kind: Kind, object: KubeObject): Problem | undefined {
  const before = known.get(object);
  if (before !== undefined) return before.problem;
  const problem = specProblem(kinds[kind], version, object);
  known.set(object, { problem });
  return problem;
}

function rootNode(kind: Kind): SchemaNode {
  const { versions }: KindDefinition = kinds[kind];
  const [only] = versions;
  if (only === undefined) throw new RangeError(`${kind} has no version`);
  return only.schema.node;
}
