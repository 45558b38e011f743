import type { KubeObject, UnstructuredObject } from '@hawser/client';
import {
  type Path,
  type Wanted,
  contentDifference,
  leavingAlone,
  ownedOnlyByUs,
  wantedHash,
  wantedOf,
  without,
} from '@hawser/konnector-sync';

import { withoutAssigned } from './assigned-fields.js';
import {
  IDENTITY,
  type Marks,
  ORIGIN,
  type Side,
  type Texts,
  isKcpAnnotation,
  isKcpLabel,
  otherSide,
} from './marks.js';

/** Identities of both sides, the pair's namespaces, and the dialect's marks. */
export interface CopyContext {
  readonly namespaces: Readonly<Record<Side, string>>;
  readonly identities: Readonly<Record<Side, string>>;
  readonly marks: Marks;
}

/** Difference between a copy and its wanted content. */
export interface CopyChange {
  /** Wanted content, and the copy's own content to keep. */
  readonly wanted: Wanted;
  /** Paths where a wanted value is missing or differs. */
  readonly wrong: readonly Path[];
  /** Paths of extra content to remove. */
  readonly remove: readonly Path[];
}

/**
 * Computes the content of a copy of `original` on `side`: what a user can set, nothing that a cluster adds. Finalizers,
 * owners and status stay on their side.
 */
export function wantedContent(original: UnstructuredObject, side: Side, { marks }: CopyContext): Wanted {
  const { labels, annotations, fields } = carried(original, marks);
  const own = marks.ownerMark(side);
  return { labels: { ...labels, ...own.labels }, annotations: { ...annotations, ...own.annotations }, fields };
}

/** Hash that identifies the content. Useless without the original: it does not allow comparing two Secrets. */
export function contentHash(wanted: Wanted, original: KubeObject, ignored: readonly Path[]): string {
  return wantedHash(without(wanted, ignored), original.metadata.uid);
}

/** The complete copy. */
export function copyOf(
  original: UnstructuredObject,
  side: Side,
  wanted: Wanted,
  annotations: Texts,
  { namespaces }: CopyContext,
): UnstructuredObject {
  return {
    apiVersion: original.apiVersion,
    kind: original.kind,
    ...wanted.fields,
    metadata: {
      name: original.metadata.name,
      namespace: namespaces[otherSide(side)],
      labels: wanted.labels as Texts,
      annotations: { ...(wanted.annotations as Texts), ...annotations },
    },
  };
}

/** Marks on a copy that name its original. */
export function originMarks(original: KubeObject, side: Side, { namespaces, identities }: CopyContext): Texts {
  return {
    [ORIGIN[side].namespace]: namespaces[side],
    [ORIGIN[side].name]: original.metadata.name,
    [ORIGIN[side].uid]: original.metadata.uid ?? '',
    [IDENTITY[side]]: identities[side],
  };
}

/**
 * Whether the copy's marks differ from its original, or lack required ones. Hawser's own identity and the name are
 * added only with another write.
 */
export function namesAnother(copy: KubeObject, original: KubeObject, side: Side, context: CopyContext): boolean {
  return Object.entries(originMarks(original, side, context)).some(([key, value]) => {
    if (key === IDENTITY[side] || key === ORIGIN[side].name) return false;
    const is = copy.metadata.annotations?.[key];
    return is === undefined ? context.marks.copiesNameOrigin : is !== value;
  });
}

/**
 * Computes how `copy` (read live, with managedFields) differs from the wanted content, without the paths to leave.
 * Other clients' labels, annotations and fields stay; those that a konnector set and that are no longer wanted go.
 * Kinds of content only lose everything else.
 */
export function changeOf(copy: UnstructuredObject, wanted: Wanted, leave: readonly Path[], marks: Marks): CopyChange {
  const actual = actualContent(copy, marks);
  const kept = leavingAlone(wanted, actual, leave);
  const { wrong, extra } = contentDifference(kept, actual);
  const exact = EXACT.has(`${copy.apiVersion}/${copy.kind}`);
  const ours = new Set(ownedOnlyByUs(extra, copy.metadata.managedFields ?? []));
  return { wanted: kept, wrong, remove: extra.filter((path) => ours.has(path) || (exact && path[0] !== 'metadata')) };
}

/** Kinds that consist of content alone: any addition changes the copy. */
const EXACT: ReadonlySet<string> = new Set(['v1/Secret', 'v1/ConfigMap', 'v1/ServiceAccount']);

/** The compared part of a copy. Marks count: a lost one is missing. */
function actualContent(copy: UnstructuredObject, marks: Marks): Wanted {
  const { labels, annotations, fields } = carried(copy, marks);
  const own = (texts: Texts = {}): Texts => only(texts, (key) => marks.isMark(key));
  return {
    labels: { ...labels, ...own(copy.metadata.labels) },
    annotations: { ...annotations, ...own(copy.metadata.annotations) },
    fields,
  };
}

function carried(object: UnstructuredObject, marks: Marks): Wanted {
  const { labels, annotations, fields } = wantedOf(object);
  return {
    labels: only(labels as Texts, (key) => !marks.isMark(key) && !isKcpLabel(key)),
    annotations: only(annotations as Texts, (key) => !marks.isMark(key) && !isKcpAnnotation(key)),
    fields: withoutAssigned(object, fields),
  };
}

function only(texts: Texts, keep: (key: string) => boolean): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([key]) => keep(key)));
}

/**
 * Whether the server would refuse the change of `copy`, which must then be recreated: a Secret's type, and immutable
 * objects.
 */
export function mustBeReplaced(copy: UnstructuredObject, { wrong, remove }: CopyChange): boolean {
  if (copy.apiVersion !== 'v1' || (copy.kind !== 'Secret' && copy.kind !== 'ConfigMap')) return false;
  const fields = [...wrong, ...remove].filter(([first]) => first !== 'metadata');
  return fields.some(([first]) => first === 'type') || (copy['immutable'] === true && fields.length > 0);
}
