import type { UnstructuredObject } from '@hawser/client';
import type { JsonObject, JsonValue } from '@hawser/json';
import { contentDifference, ownedOnlyByUs, type Path, type Wanted, wantedHash } from '@hawser/konnector-sync';
import { marksOf, type Owner } from './marks.js';

/** The copied fields of an original (spec/kbind-v2.md §19). An API server never answers with `stringData`. */
const CARRIED = ['data', 'binaryData', 'type', 'immutable'] as const;

/**
 * The wanted copy of `original`: its contents, and the marks. Labels and annotations of the original stay on its side.
 */
export function wantedContent(original: UnstructuredObject, owner: Owner): Wanted {
  const { labels, annotations } = marksOf(owner);
  return { labels, annotations, fields: fieldsOf(original) };
}

export function hashOf(wanted: Wanted, original: UnstructuredObject): string {
  return wantedHash(wanted, original.metadata.uid);
}

/** The copy as an object. */
export function copyOf({ apiVersion, kind, metadata }: UnstructuredObject, wanted: Wanted): UnstructuredObject {
  const { labels, annotations } = wanted as { readonly labels: Texts; readonly annotations: Texts } & Wanted;
  const { name, namespace } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, ...wanted.fields };
}

type Texts = Readonly<Record<string, string>>;

/**
 * Differences of a copy (read with managedFields), including konnector-written fields that are no longer wanted. Fields
 * that others added stay.
 */
export function differenceOf(
  copy: UnstructuredObject,
  wanted: Wanted,
): { readonly wrong: readonly Path[]; readonly remove: readonly Path[] } {
  const { labels = {}, annotations = {}, managedFields = [] } = copy.metadata;
  const own = (texts: Texts, of: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(texts).filter(([key]) => Object.hasOwn(of, key)));
  const actual: Wanted = {
    labels: own(labels, wanted.labels),
    annotations: own(annotations, wanted.annotations),
    fields: fieldsOf(copy),
  };
  const { wrong, extra } = contentDifference(wanted, actual);
  return { wrong, remove: ownedOnlyByUs(extra, managedFields) };
}

/**
 * Whether the server would refuse the change, so that the copy must be recreated: type of a Secret, immutable contents.
 */
export function mustBeReplaced(copy: UnstructuredObject, changed: readonly Path[]): boolean {
  const fields = changed.filter(([first]) => first !== 'metadata');
  return fields.some(([first]) => first === 'type') || (copy['immutable'] === true && fields.length > 0);
}

/** Credentials of the cluster that holds them. */
export function isCredential({ kind, ...fields }: UnstructuredObject): boolean {
  const type = (fields as JsonObject)['type'];
  return (
    kind === 'Secret' && (type === 'kubernetes.io/service-account-token' || type === 'bootstrap.kubernetes.io/token')
  );
}

function fieldsOf(object: UnstructuredObject): JsonObject {
  return Object.fromEntries(
    CARRIED.flatMap((key): [string, JsonValue][] =>
      object[key] === undefined ? [] : [[key, object[key] as JsonValue]],
    ),
  );
}
