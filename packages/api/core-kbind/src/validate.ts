import type { KubeObject } from '@hawser/client';
import { type KindDefinition, type Problem, type SchemaNode, validateTransition, validateValue } from '@hawser/crd';
import { specProblem } from '@hawser/kube-bind';
import { version } from './group.js';
import { kinds, type Kind } from './kinds/all-kinds.js';

/**
 * Why the API server would refuse to create this object: types, required fields, enums, patterns, lengths and the rules of the CRD, without asking it. Empty: it
 * would not. Names, metadata and what admission says are not looked at.
 */
export function validate(kind: Kind, object: unknown): readonly Problem[] {
  return validateValue(rootNode(kind), object);
}

/** Why it would refuse to replace `before` by `after`: as {@link validate}, and fields that may not change. */
export function validateUpdate(kind: Kind, before: unknown, after: unknown): readonly Problem[] {
  const node = rootNode(kind);
  return [...validateValue(node, after), ...validateTransition(node, before, after)];
}

const known = new WeakMap<KubeObject, { readonly problem: Problem | undefined }>();

/** The first place at which the spec of an object that came from a server is not of the type that its CRD says, as where the CRD there is another one. */
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
