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

/** Who the two sides are, where the pair stands in them, and how objects say whose they are. */
export interface Place {
  readonly namespaces: Readonly<Record<Side, string>>;
  readonly identities: Readonly<Record<Side, string>>;
  readonly marks: Marks;
}

/** What has to change in a copy. */
export interface CopyChange {
  /** What it shall hold, and has to keep of its own. */
  readonly wanted: Wanted;
  /** At which paths something wanted is missing or another value stands. */
  readonly wrong: readonly Path[];
  /** Of what it has besides, what goes. */
  readonly remove: readonly Path[];
}

/** What the copy of `original`, which stands on `side`, has to hold: what a user can say, nothing that a cluster adds. Finalizers, owners and status stay on their side. */
export function wantedContent(original: UnstructuredObject, side: Side, { marks }: Place): Wanted {
  const { labels, annotations, fields } = carried(original, marks);
  const own = marks.saying(side);
  return { labels: { ...labels, ...own.labels }, annotations: { ...annotations, ...own.annotations }, fields };
}

/** By what that content is known again. It tells nothing without the original: contents of two Secrets cannot be compared by it. */
export function contentHash(wanted: Wanted, original: KubeObject, ignored: readonly Path[]): string {
  return wantedHash(without(wanted, ignored), original.metadata.uid);
}

/** The copy itself. */
export function copyOf(
  original: UnstructuredObject,
  side: Side,
  wanted: Wanted,
  annotations: Texts,
  { namespaces }: Place,
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

/** What a copy says of its original. */
export function originMarks(original: KubeObject, side: Side, { namespaces, identities }: Place): Texts {
  return {
    [ORIGIN[side].namespace]: namespaces[side],
    [ORIGIN[side].name]: original.metadata.name,
    [ORIGIN[side].uid]: original.metadata.uid ?? '',
    [IDENTITY[side]]: identities[side],
  };
}

/** Whether the copy says something else of its original, or less than each copy has to say. Our own identity, and the name, are added only when something else is written. */
export function namesAnother(copy: KubeObject, original: KubeObject, side: Side, place: Place): boolean {
  return Object.entries(originMarks(original, side, place)).some(([key, value]) => {
    if (key === IDENTITY[side] || key === ORIGIN[side].name) return false;
    const is = copy.metadata.annotations?.[key];
    return is === undefined ? place.marks.copiesNameOrigin : is !== value;
  });
}

/**
 * How `copy` (read live, with managedFields) differs from what is wanted, paths that are left alone aside. Labels, annotations and fields that another client has added
 * stay; those that a konnector set and that are no longer wanted go. Of what is nothing but contents everything else goes.
 */
export function changeOf(copy: UnstructuredObject, wanted: Wanted, leave: readonly Path[], marks: Marks): CopyChange {
  const actual = actualContent(copy, marks);
  const kept = leavingAlone(wanted, actual, leave);
  const { wrong, extra } = contentDifference(kept, actual);
  const exact = EXACT.has(`${copy.apiVersion}/${copy.kind}`);
  const ours = new Set(ownedOnlyByUs(extra, copy.metadata.managedFields ?? []));
  return { wanted: kept, wrong, remove: extra.filter((path) => ours.has(path) || (exact && path[0] !== 'metadata')) };
}

/** Kinds that consist of content alone: whatever is added to a copy changes it. */
const EXACT: ReadonlySet<string> = new Set(['v1/Secret', 'v1/ConfigMap', 'v1/ServiceAccount']);

/** The part of a copy that is compared. Marks count: one that is lost is missing. */
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

/** Whether the server would refuse to change `copy` as wanted, so that it has to be made anew: the type of a Secret, and what is immutable. */
export function mustBeReplaced(copy: UnstructuredObject, { wrong, remove }: CopyChange): boolean {
  if (copy.apiVersion !== 'v1' || (copy.kind !== 'Secret' && copy.kind !== 'ConfigMap')) return false;
  const fields = [...wrong, ...remove].filter(([first]) => first !== 'metadata');
  return fields.some(([first]) => first === 'type') || (copy['immutable'] === true && fields.length > 0);
}
