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

/** State of one resource of an export, by the caches. */
export type Assessment =
  | { readonly kind: 'inStep' }
  | { readonly kind: 'held'; readonly hold: Hold }
  /** The schema may flow when it is its turn. With `check`, the stored objects must fit it. */
  | {
      readonly kind: 'candidate';
      readonly wanted: WantedSchema;
      readonly comparison: Comparison;
      readonly check: boolean;
    }
  /** The consumer's schema is rejected: restore the one before. */
  | { readonly kind: 'rollBack'; readonly wanted: WantedSchema; readonly rejected: string };

/** Input of {@link assess}. */
export interface Situation {
  readonly export: APIServiceExport;
  readonly boundSchema: BoundSchema & { readonly spec: BoundSchemaSpec };
  /** The exported CRD in the form for this consumer. */
  readonly source: SourceSchema | undefined;
  readonly policy: SchemaPolicy;
}

export type Judge = (before: WantedSchema, after: WantedSchema, policy: SchemaPolicy, approved: boolean) => Verdict;

/** Assesses one resource of an export. Pure if `judging` is. */
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

/** The hash that the consumer's konnector also reports. */
export function hashOf({ metadata, spec }: BoundSchema): string {
  return metadata.annotations?.[annotations.sourceSpecHash] ?? (spec === undefined ? '' : schemaHash(spec));
}

/** The comma-separated hashes in an annotation of an export. */
export function hashesOf({ metadata }: APIServiceExport, annotation: string): readonly string[] {
  return (metadata.annotations?.[annotation] ?? '').split(/[\s,]+/u).filter((hash) => hash !== '');
}

/**
 * The policy: the export's annotation, else the wire value `Always` of its request, else the provider's default. The
 * wire value `Never` is the CRD's default, and says nothing.
 */
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

/**
 * Whether a request is the one of an export. Consumers write requests; one that was not admitted does not count. An
 * export of another program does not name its request.
 */
function isAnsweredBy({ metadata }: APIServiceExport, request: APIServiceExportRequest): boolean {
  const madeFor = metadata.annotations?.[hawserAnnotations.request];
  return request.status?.phase === 'Succeeded' && (madeFor === undefined || madeFor === request.metadata.uid);
}

/**
 * Whether an export decides about a BoundSchema that several may share: its controlling owner does; without one, each
 * of them.
 */
export function decidesAbout(
  { schema }: Dialect,
  { metadata: { uid } }: APIServiceExport,
  { metadata }: BoundSchema,
): boolean {
  // The owner of an export that carries its schema does not matter here.
  if (schema === 'Inline') return true;
  const controller = metadata.ownerReferences?.find(({ controller: controls }) => controls === true);
  return controller === undefined || controller.uid === uid;
}
