import type { KubeObject } from '@hawser/client';
import { isRecord, type KindDefinition, type Problem, typeProblem } from '@hawser/crd';
import { apiGroup, version as currentVersion } from './group.js';
import { allKinds, type Kind } from './kinds/all-kinds.js';

/** What a view of another dialect has in its `spec` in place of what it could not read. */
const unreadable = 'hawser.dev/unreadable';

/** Objects are replaced when they change, so their identity is a version. */
const known = new WeakMap<KubeObject, { readonly problem: Problem | undefined }>();

/**
 * The first place where `spec` of a contract's object has another type than the contract says, or lacks a field that it requires; undefined if there is none. An API server whose CRD has the
 * contract's schema takes no such object; one with an older or a looser CRD does. Values are not looked at. Computed once per version of an object.
 */
export function malformation(kind: Kind, object: KubeObject): Problem | undefined {
  const before = known.get(object);
  if (before !== undefined) return before.problem;
  const problem = find(kind, object);
  known.set(object, { problem });
  return problem;
}

function find(kind: Kind, object: KubeObject): Problem | undefined {
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  const [path, ...words] = isRecord(spec) && typeof spec[unreadable] === 'string' ? spec[unreadable].split(' ') : [];
  if (path !== undefined) return { path, message: words.join(' ') };
  // Of another dialect's object its view has looked at the types.
  return object.apiVersion.split('/', 1)[0] === apiGroup
    ? specProblem(allKinds[kind], currentVersion, object)
    : undefined;
}

/** As {@link malformation}, by the schema of any kind, and not remembered. */
export function specProblem(
  definition: Pick<KindDefinition, 'versions'>,
  version: string,
  object: KubeObject,
): Problem | undefined {
  const node = definition.versions.find(({ name }) => name === version)?.schema.node;
  const schema = node?.properties?.['spec'];
  if (schema === undefined) return undefined;
  const { spec } = object as KubeObject & { readonly spec?: unknown };
  if (spec === undefined)
    return node?.required?.includes('spec') === true ? { path: 'spec', message: 'is required' } : undefined;
  return typeProblem(schema, spec, 'spec');
}

/** An object that a view could not read: {@link malformation} says why. */
export function unreadableView(object: KubeObject, { path, message }: Problem): KubeObject {
  return { ...object, spec: { [unreadable]: `${path} ${message}` } } as KubeObject;
}
