import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { type JsonObject, createMergePatch } from '@hawser/json';
import { isCarriedAnnotation, ownedOnlyByUs, wantedOf } from '@hawser/konnector-sync';

import { IDENTITY, ORIGIN, OWNER, type Side, isCarriedLabel, isKcpAnnotation, otherSide } from './marks.js';

/** Who the two sides are, and where the pair stands in them. */
export interface Place {
  readonly namespaces: Readonly<Record<Side, string>>;
  readonly identities: Readonly<Record<Side, string>>;
}

/** What has to change in a copy: a merge patch, without preconditions. */
export interface CopyChange {
  readonly metadata: JsonObject;
  readonly fields: JsonObject;
}

/** What a copy of `original`, which stands on `side`, has to hold. Finalizers, owners and status stay on their side. */
export function wantedCopy(original: UnstructuredObject, side: Side, { namespaces, identities }: Place): UnstructuredObject {
  const { labels, annotations, fields } = carried(original);
  return {
    apiVersion: original.apiVersion,
    kind: original.kind,
    ...fields,
    metadata: {
      name: original.metadata.name,
      namespace: namespaces[otherSide(side)],
      labels: { ...labels, [OWNER]: side },
      annotations: { ...annotations, ...originOf(original, side, namespaces), [IDENTITY[side]]: identities[side] },
    },
  };
}

/** The marks that every konnector writes. */
function originOf({ metadata }: KubeObject, side: Side, namespaces: Place['namespaces']): Readonly<Record<string, string>> {
  return { [ORIGIN[side].namespace]: namespaces[side], [ORIGIN[side].uid]: metadata.uid ?? '' };
}

/** What travels of an object: what a user can say, nothing that a cluster adds. */
function carried(object: UnstructuredObject): { readonly labels: Texts; readonly annotations: Texts; readonly fields: JsonObject } {
  const wanted = wantedOf(object);
  // Token Secrets of the own cluster: meaningless elsewhere, and each side's controllers keep their own list.
  const fields = object.kind === 'ServiceAccount' ? Object.fromEntries(Object.entries(wanted.fields).filter(([key]) => key !== 'secrets')) : wanted.fields;
  return {
    labels: only(object.metadata.labels, isCarriedLabel),
    annotations: only(wanted.annotations as Texts, (key) => !isKcpAnnotation(key)),
    fields,
  };
}

type Texts = Readonly<Record<string, string>>;

function only(texts: Texts | undefined, keep: (key: string) => boolean): Texts {
  return Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => keep(key)));
}

/**
 * What has to change in `copy` (read live, with managedFields) for it to be as `original` wants it; undefined if nothing. Labels and annotations that somebody else
 * has set on the copy stay; those that a konnector set and the original no longer has go. Our own identity is added only when something else is written.
 */
export function changeOf(copy: UnstructuredObject, original: UnstructuredObject, side: Side, place: Place): CopyChange | undefined {
  const wanted = carried(original);
  const actual = carried(copy);
  const fields = (createMergePatch(actual.fields, wanted.fields) ?? {}) as JsonObject;
  const labels = { ...difference({ ...wanted.labels, [OWNER]: side }, copy.metadata.labels), ...leftOver(copy, 'labels', actual.labels, wanted.labels) };
  const marks = originOf(original, side, place.namespaces);
  const annotations = { ...difference({ ...wanted.annotations, ...marks }, copy.metadata.annotations), ...leftOver(copy, 'annotations', actual.annotations, wanted.annotations) };
  if ([fields, labels, annotations].every((part) => Object.keys(part).length === 0)) return undefined;
  const identity = difference({ [IDENTITY[side]]: place.identities[side] }, copy.metadata.annotations);
  return { fields, metadata: { ...section('labels', labels), ...section('annotations', { ...annotations, ...identity }) } };
}

function difference(wanted: Texts, actual: Texts | undefined): Texts {
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => actual?.[key] !== value));
}

/** Keys that only konnectors wrote, and that nobody wants any more, each with a null. */
function leftOver({ metadata }: UnstructuredObject, part: 'labels' | 'annotations', actual: Texts, wanted: Texts): JsonObject {
  const extra = Object.keys(actual).filter((key) => !Object.hasOwn(wanted, key) && (part === 'labels' || isCarriedAnnotation(key)));
  const all = extra.map((key) => ['metadata', part, key]);
  const paths = globalThis.hawserPlanted?.has('foreign-metadata-overwritten') === true ? all : ownedOnlyByUs(all, metadata.managedFields ?? []);
  return Object.fromEntries(paths.map((path) => [path[2] ?? '', null]));
}

function section(name: string, changes: JsonObject): JsonObject {
  return Object.keys(changes).length === 0 ? {} : { [name]: changes };
}

/** Whether the server would refuse to change `copy` as wanted, so that it has to be made anew: the type of a Secret, and what is immutable. */
export function mustBeReplaced(copy: UnstructuredObject, { fields }: CopyChange): boolean {
  if (copy.apiVersion !== 'v1' || (copy.kind !== 'Secret' && copy.kind !== 'ConfigMap')) return false;
  if (Object.hasOwn(fields, 'type')) return true;
  return copy['immutable'] === true && Object.keys(fields).length > 0;
}
