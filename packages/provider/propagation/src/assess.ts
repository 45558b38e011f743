import {
  annotations,
  type APIServiceExport,
  type APIServiceExportRequest,
  type BoundSchema,
  type BoundSchemaSpec,
  type Dialect,
  hawserAnnotations,
  schemaHash,
} from '@hawser/kube-bind';
import type { SourceSchema } from '@hawser/exportrequest';
import type { Comparison } from '@hawser/schemadiff';
import { type SchemaPolicy, type Verdict, judge, parseSchemaPolicy } from '@hawser/schemagate';
import { type Hold, holds } from './hold.js';
import { decodeSnapshot } from './snapshot.js';

/** A schema on its way to a consumer. */
export interface WantedSchema {
  readonly spec: BoundSchemaSpec;
  readonly hash: string;
}

/** How one resource of an export stands, by what the caches know. */
export type Assessment =
  | { readonly kind: 'inStep' }
  | { readonly kind: 'held'; readonly hold: Hold }
  /** It may flow; if it is its turn, and where `check` says so the stored objects fit it. */
  | {
      readonly kind: 'candidate';
      readonly wanted: WantedSchema;
      readonly comparison: Comparison;
      readonly check: boolean;
    }
  /** The schema that the consumer has is rejected: back to the one before. */
  | { readonly kind: 'rollBack'; readonly wanted: WantedSchema; readonly rejected: string };

/** What {@link assess} looks at. */
export interface Situation {
  readonly export: APIServiceExport;
  readonly boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec };
  /** The exported CRD as this consumer would get it. */
  readonly source: SourceSchema | undefined;
  readonly policy: SchemaPolicy;
}

export type Judge = (before: WantedSchema, after: WantedSchema, policy: SchemaPolicy, approved: boolean) => Verdict;

/** What is to become of one resource of an export. Pure, given a pure `judging`. */
export function assess(
  { export: object, boundSchema, source, policy }: Situation,
  judging: Judge = judgeSchemas,
): Assessment {
  const resource = boundSchema.metadata.name;
  if (source === undefined) return { kind: 'held', hold: holds.gone(resource) };
  if (source.kind === 'unusable') return { kind: 'held', hold: holds.unusable(resource, source.message) };
  const before = { spec: boundSchema.spec, hash: hashOf(boundSchema) };
  const isRejected = hashesOf(object, hawserAnnotations.schemaRejected).includes(source.hash);
  if (before.hash === source.hash) {
    if (!isRejected) return { kind: 'inStep' };
    const previous = decodeSnapshot(boundSchema.metadata.annotations?.[hawserAnnotations.previousSchema]);
    return previous === undefined
      ? { kind: 'held', hold: holds.notKept(resource, source.hash) }
      : { kind: 'rollBack', wanted: previous, rejected: source.hash };
  }
  if (isRejected) return { kind: 'held', hold: holds.rolledBack(resource, source.hash) };
  const approved = hashesOf(object, hawserAnnotations.schemaApproved).includes(source.hash);
  const verdict = judging(before, source, policy, approved);
  const { comparison } = verdict;
  switch (verdict.kind) {
    case 'refused':
      return { kind: 'held', hold: holds.incompatible(resource, source.hash, comparison) };
    case 'held':
      return {
        kind: 'held',
        hold:
          verdict.reason === 'SchemaUpdatesOff'
            ? holds.off(resource, source.hash, comparison)
            : holds.breaking(resource, source.hash, comparison),
      };
    case 'flows':
      return {
        kind: 'candidate',
        wanted: { spec: source.spec, hash: source.hash },
        comparison,
        check: !approved && policy === 'Safe' && comparison.changes.length > 0,
      };
  }
}

export const judgeSchemas: Judge = (before, after, policy, approved) =>
  judge({ before: before.spec, after: after.spec, policy, approved });

/** The one that the konnector of the consumer answers with, too. */
export function hashOf({ metadata, spec }: BoundSchema): string {
  return metadata.annotations?.[annotations.sourceSpecHash] ?? (spec === undefined ? '' : schemaHash(spec));
}

/** The hashes in an annotation of an export, separated by commas. */
export function hashesOf({ metadata }: APIServiceExport, annotation: string): readonly string[] {
  return (metadata.annotations?.[annotation] ?? '').split(/[\s,]+/u).filter((hash) => hash !== '');
}

/** Annotation of the export, wire value `Always` of its request, and what the provider has set for all. The wire value `Never` is the CRD's default, and says nothing. */
export function policyOf(
  found: APIServiceExport,
  request: APIServiceExportRequest | undefined,
  policy: SchemaPolicy,
): SchemaPolicy {
  return (
    parseSchemaPolicy(found.metadata.annotations?.[hawserAnnotations.schemaUpdate]) ??
    (request?.spec.schemaUpdatePolicy === 'Always' && isAnsweredBy(found, request) ? 'Always' : policy)
  );
}

/** Consumers write requests; what was not admitted has no say. An export of another program does not name its request. */
function isAnsweredBy({ metadata }: APIServiceExport, request: APIServiceExportRequest): boolean {
  const madeFor = metadata.annotations?.[hawserAnnotations.request];
  return request.status?.phase === 'Succeeded' && (madeFor === undefined || madeFor === request.metadata.uid);
}

/** Several exports may share a BoundSchema; the one that controls it decides, and where none does any of them. */
export function decidesAbout(
  { schema }: Dialect,
  { metadata: { uid } }: APIServiceExport,
  { metadata }: BoundSchema,
): boolean {
  // Who owns an export that carries its schema says nothing about that.
  if (schema === 'Inline') return true;
  const controller = metadata.ownerReferences?.find(({ controller: controls }) => controls === true);
  return controller === undefined || controller.uid === uid;
}
