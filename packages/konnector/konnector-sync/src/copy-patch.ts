import type { Patch, UnstructuredObject } from '@hawser/client';
import { type JsonObject, type JsonValue, createMergePatch, equal } from '@hawser/json';

import { type Path, containsNull, overlay } from './difference.js';
import { isCarriedAnnotation } from './marks.js';
import { type Wanted, actualOf } from './wanted.js';

/** Input of a patch of a copy. */
export interface ContentPatch {
  readonly copy: UnstructuredObject;
  readonly wanted: Wanted;
  /** Extra fields of the copy to remove. */
  readonly remove: readonly Path[];
  /** Marks to write besides the wanted content. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Builds the patch that gives a copy the wanted content. Fails with a conflict unless the copy has the version decided
 * about. Pure: a preview sends the same.
 */
export function copyPatch({ copy, wanted, remove, annotations: marks }: ContentPatch): Patch {
  const actual = actualOf(copy);
  const below = (section: string): Path[] =>
    remove.filter((path) => path[0] === 'metadata' && path[1] === section).map((path) => path.slice(2));
  const labels = overlay(wanted.labels, actual.labels, below('labels'));
  const annotations = { ...overlay(wanted.annotations, actual.annotations, below('annotations')), ...marks };
  const fields = overlay(
    wanted.fields,
    actual.fields,
    remove.filter((path) => path[0] !== 'metadata'),
  );
  if (containsNull(fields)) {
    // `annotations` already has the carried ones, without the removed ones; bookkeeping stays unchanged.
    const kept = Object.fromEntries(
      Object.entries(copy.metadata.annotations ?? {}).filter(([key]) => !isCarriedAnnotation(key)),
    );
    return {
      type: 'json',
      operations: replacing(copy, { labels, annotations: { ...kept, ...annotations }, before: actual.fields, fields }),
    };
  }
  // Bookkeeping annotations that are not carried are on neither side of the comparison, so they stay.
  const annotationsBefore = Object.fromEntries(
    Object.entries(copy.metadata.annotations ?? {}).filter(([key]) => isCarriedAnnotation(key) || key in marks),
  );
  const patch = {
    ...((createMergePatch(actual.fields, fields) as JsonObject | undefined) ?? {}),
    metadata: {
      ...preconditions(copy),
      ...section('labels', createMergePatch(actual.labels, labels)),
      ...section('annotations', createMergePatch(annotationsBefore, annotations)),
    },
  };
  return { type: 'merge', patch };
}

/** Preconditions for a patch or PUT: the server answers 409 unless it has this very version of this very object. */
export function preconditions(object: UnstructuredObject): {
  readonly uid?: string;
  readonly resourceVersion?: string;
} {
  const { uid, resourceVersion } = object.metadata;
  return { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
}

function section(key: string, patch: JsonValue | undefined): JsonObject {
  return patch === undefined ? {} : { [key]: patch };
}

/** Builds a JSON patch for content with explicit nulls, which a merge patch cannot express. */
function replacing(
  copy: UnstructuredObject,
  to: {
    readonly labels: JsonObject;
    readonly annotations: JsonObject;
    readonly before: JsonObject;
    readonly fields: JsonObject;
  },
): readonly unknown[] {
  const operations: unknown[] = [
    { op: 'replace', path: '/metadata/resourceVersion', value: copy.metadata.resourceVersion },
  ];
  if (Object.keys(to.labels).length > 0 || copy.metadata.labels !== undefined)
    operations.push({ op: 'add', path: '/metadata/labels', value: to.labels });
  operations.push({ op: 'add', path: '/metadata/annotations', value: to.annotations });
  for (const [key, value] of Object.entries(to.fields)) {
    if (!equal(to.before[key], value)) operations.push({ op: 'add', path: pointer(key), value });
  }
  for (const key of Object.keys(to.before)) {
    if (!Object.hasOwn(to.fields, key)) operations.push({ op: 'remove', path: pointer(key) });
  }
  return operations;
}

function pointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
