import type { KubeObject } from '@hawser/client';
import { isRecord, type KindDefinition, type Problem, typeProblem } from '@hawser/crd';
import { apiGroup, version as currentVersion } from './group.js';
import { allKinds, type Kind } from './kinds/all-kinds.js';

/** Key in the `spec` of a view of another dialect: what it could not read. */
const unreadable = 'hawser.dev/unreadable';

/** A changed object is a new object, so its identity serves as version. */
const known = new WeakMap<KubeObject, { readonly problem: Problem | undefined }>();

/**
 * The first place where `spec` of a contract's object has a wrong type or lacks a required field; undefined if there is
 * none. An API server with the contract's CRD refuses such an object; an older or looser CRD admits it. Does not check
 * values. Computed once per version of an object.
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
  // For another dialect, its view has checked the types.
  return object.apiVersion.split('/', 1)[0] === apiGroup
    ? specProblem(allKinds[kind], currentVersion, object)
    : undefined;
}

/** {@link malformation} by the schema of any kind, without a cache. */
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

/** An object that a view could not read; {@link malformation} says why. */
export function unreadableView(object: KubeObject, { path, message }: Problem): KubeObject {
  return { ...object, spec: { [unreadable]: `${path} ${message}` } } as KubeObject;
}
