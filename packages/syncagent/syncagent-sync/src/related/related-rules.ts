import type { Resource } from '@hawser/client';
import type { FunctionMap } from '@hawser/gotemplate';
import { type Compilation, Findings } from '../compilation.js';
import { compileMutations, type Mutations } from '../mutation/index.js';
import { type RelatedOrigin, type RelatedResource, relatedResourcesOf } from '@hawser/syncagent-api';
import type { EntryContext } from './entry-context.js';
import { findNamespaces } from './finding/find-namespaces.js';
import { findObjects, type ResolvedPair } from './finding/find-objects.js';
import { compileMechanism, type Mechanism } from './finding/mechanism.js';
import type { PrimaryPair, RelatedReaders } from './primary-pair.js';

/** One compiled entry of `spec.related`. */
export interface RelatedRule {
  readonly identifier: string;
  /** The side of the originals. */
  readonly origin: RelatedOrigin;
  /** The resources on each side. */
  readonly resources: { readonly kcp: Resource; readonly service: Resource };
  readonly cleanup: boolean;
  readonly syncStatus: boolean;
  /** Undefined: the entry has none. */
  readonly mutations: Mutations | undefined;
  /**
   * Finds the existing related objects, each original once, ordered by `namespace/name`. Deterministic and stateless.
   *
   * @param readers - on the side of the originals
   * @throws {RelatedError} where the rules do not fit the primary object; whatever the readers reject with
   */
  resolve(primary: PrimaryPair, readers: RelatedReaders): Promise<readonly ResolvedPair[]>;
}

export interface RelatedOptions {
  /** Functions for templates besides Go's own: those of sprig, and the agent's. */
  readonly functions: FunctionMap;
  /** The field of the entries. Default `spec.related`. */
  readonly path?: string | undefined;
}

/**
 * Compiles the entries of `spec.related` (spec/api-syncagent.md §12), once for all objects, in their order. Reports all
 * problems at once, each with the path of its field.
 */
export function compileRelated(
  entries: readonly RelatedResource[] | undefined,
  { functions, path = 'spec.related' }: RelatedOptions,
): Compilation<readonly RelatedRule[]> {
  const findings = new Findings();
  const rules = (entries ?? []).flatMap(
    (entry, index) => compileEntry(entry, `${path}[${index}]`, functions, findings) ?? [],
  );
  return findings.conclude(rules);
}

function compileEntry(
  entry: RelatedResource,
  field: string,
  functions: FunctionMap,
  findings: Findings,
): RelatedRule | undefined {
  const { identifier, origin, object, mutation } = entry;
  const context: EntryContext = { identifier, origin, functions, findings };
  const objects = compileMechanism(object, `${field}.object`, context);
  const namespaceField = `${field}.object.namespace`;
  const namespaces =
    object.namespace === undefined ? undefined : compileMechanism(object.namespace, namespaceField, context);
  checkWatch(entry.watch, `${field}.watch`, findings);
  const mutations = findings.take(compileMutations(mutation, { functions, path: `${field}.mutation` }));
  if ((mutation?.status ?? []).length > 0)
    findings.warning(`${field}.mutation.status`, 'has no effect: the status of a related object is never carried back');
  if (objects === undefined || (object.namespace !== undefined && namespaces === undefined)) return undefined;
  const { kcp, service, origin: resource } = relatedResourcesOf(entry);
  return {
    identifier,
    origin,
    resources: { kcp, service },
    cleanup: entry.cleanup ?? false,
    syncStatus: entry.syncStatus ?? false,
    mutations: (mutation?.spec ?? []).length === 0 ? undefined : mutations,
    resolve: (primary, readers) =>
      resolve({ objects, namespaces, namespaceField, resource }, primary, readers, context),
  };
}

/**
 * Only checks the field: the inputs of each primary determine what to look at when a related object changes
 * (spec/api-syncagent.md §12.8).
 */
function checkWatch(watch: RelatedResource['watch'], field: string, findings: Findings): void {
  if (watch !== undefined) findings.exactlyOne(field, { byOwner: watch.byOwner, bySelector: watch.bySelector });
}

interface CompiledEntry {
  readonly objects: Mechanism;
  readonly namespaces: Mechanism | undefined;
  readonly namespaceField: string;
  readonly resource: Resource;
}

async function resolve(
  { objects, namespaces, namespaceField, resource }: CompiledEntry,
  primary: PrimaryPair,
  readers: RelatedReaders,
  context: EntryContext,
): Promise<readonly ResolvedPair[]> {
  const namespacePairs = await findNamespaces(namespaces, namespaceField, primary, readers, context);
  const inOrder = [...namespacePairs].toSorted(([left], [right]) => compare(left, right));
  const found = await Promise.all(
    inOrder.map((namespacePair) => findObjects(objects, resource, namespacePair, primary, readers, context)),
  );
  const pairs = found.flat().toSorted((left, right) => compare(keyOf(left), keyOf(right)));
  // Each namespace yields an object without a namespace.
  return pairs.filter((pair, index) => index === 0 || keyOf(pair) !== keyOf(pairs[index - 1]));
}

const keyOf = (pair: ResolvedPair | undefined): string =>
  pair === undefined ? '' : `${pair.origin.namespace ?? ''}/${pair.origin.name}`;

const compare = (left: string, right: string): number => (left < right ? -1 : Number(left > right));
