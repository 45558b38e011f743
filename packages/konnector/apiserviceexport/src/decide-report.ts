import type { KubeObject, Resource, StatusOf } from '@hawser/client';
import {
  type APIServiceExport,
  type BoundSchema,
  type SchemaAnswer,
  conditionTypes,
  isConditionTrue,
  isOwnedByBinding,
  resources,
} from '@hawser/kube-bind';

import { type ExportFacts, boundSchemaStatus, exportStatus, isReportedBound } from './export-status.js';
import type { ExportSnapshot } from './plan-syncs.js';

/** State of a binding, read live. `going`: it still has objects to process; `stays`: another connection serves it. */
export type Fate = 'gone' | 'going' | 'stays';

/** Everything that decides the report on one export. */
export interface ObservedReport {
  readonly snapshot: ExportSnapshot;
  /** Why some resources cannot be synced as exported. */
  readonly scopeProblem: string | undefined;
  /** Outcome of each schema by resource, as far as known. */
  readonly answers: ReadonlyMap<string, SchemaAnswer>;
  /** Resources that another export of the connection also names. */
  readonly shared: ReadonlySet<string>;
  /** The cache has a binding of that name, for any connection. */
  readonly isCached: boolean;
  /** The binding has left this connection, and the provider does not know why. */
  readonly hasLeft: boolean;
  /** Undefined: not read. */
  readonly fate: Fate | undefined;
}

/** A report for one object of the provider. Closed; only `ReportActor` writes it. */
export interface StatusReport<T extends KubeObject & { readonly status?: unknown }> {
  /** `<kind>/<name>` */
  readonly key: string;
  readonly resource: Resource;
  readonly object: T;
  /** The status including the report. Pure; `now` only dates conditions. */
  readonly statusOf: (status: T['status'], now: number) => StatusOf<T>;
}

/**
 * Whether another connection serves the binding, in this process or in one that shares the work. That connection may
 * lead to this same export; then it reports on it. The former one reports once that it stopped. Pure.
 */
export function isServedByOtherConnection({
  snapshot,
  isCached,
  hasLeft,
}: Pick<ObservedReport, 'snapshot' | 'isCached' | 'hasLeft'>): boolean {
  return snapshot.binding === undefined && isCached && !hasLeft;
}

/** Whether the state of the binding must be read. Pure. */
export function asksForFate({ snapshot, isCached, hasLeft }: Omit<ObservedReport, 'fate'>): boolean {
  return hasLeft || (snapshot.binding === undefined && !isCached && wasBound(snapshot));
}

/** Whether the binding existed and is gone: seen by this process, or reported by an earlier one. Pure. */
export function isUnbound({ snapshot, isCached, fate }: ObservedReport): boolean {
  return snapshot.binding === undefined && !isCached && fate === 'gone';
}

/**
 * Whether a binding that left needs no more reports: it is gone or moved, and the provider knows. A look that began
 * before it left still reports it as bound. `isWritten`: nothing of the report waits for its turn. Pure.
 */
export function isFullyReported(observed: ObservedReport, isWritten: boolean): boolean {
  const { snapshot, fate } = observed;
  return isWritten && snapshot.binding === undefined && (isUnbound(observed) || fate === 'stays');
}

/** The reports on BoundSchemas, and the ones that could not be read, in words. Pure. */
export function decideSchemas({ snapshot, answers, shared }: ObservedReport): {
  readonly unread: readonly string[];
  readonly reports: readonly StatusReport<BoundSchema>[];
} {
  const { binding, resources: parts } = snapshot;
  const unread = parts.flatMap(({ schema }) => (schema.kind === 'unreadable' ? [schema.message] : []));
  if (binding === undefined) return { unread, reports: [] };
  const reports = parts.flatMap(({ name, schema, crd }): StatusReport<BoundSchema>[] => {
    if (schema.kind !== 'found') return [];
    const ours = crd !== undefined && isOwnedByBinding(crd, binding) ? crd : undefined;
    // When several exports name a resource, only the one that has it reports on it.
    if (ours === undefined && shared.has(name)) return [];
    const facts = { crd: ours, answer: answers.get(name) };
    return [
      {
        key: `schema/${name}`,
        resource: resources.boundSchemas,
        object: schema.schema,
        statusOf: (status, now) => boundSchemaStatus(status, facts, now),
      },
    ];
  });
  return { unread, reports };
}

/** The report on the export, after those on its schemas. `failures`: what failed with the schemas, in words. Pure. */
export function decideExport(observed: ObservedReport, failures: readonly string[]): StatusReport<APIServiceExport> {
  const { snapshot, scopeProblem } = observed;
  const schemaFailure = failures.length === 0 ? undefined : failures.join(' ');
  return exportReport(snapshot.export, {
    binding: snapshot.binding,
    schemaFailure,
    scopeProblem,
    unbound: isUnbound(observed),
  });
}

/** The report that the binding of an export is gone. Pure. */
export function decideDeparture(apiExport: APIServiceExport): StatusReport<APIServiceExport> {
  return exportReport(apiExport, { binding: undefined, schemaFailure: undefined, unbound: true });
}

function exportReport(object: APIServiceExport, facts: ExportFacts): StatusReport<APIServiceExport> {
  return {
    key: `export/${object.metadata.name}`,
    resource: resources.apiServiceExports,
    object,
    statusOf: (status, now) => exportStatus(status, facts, now),
  };
}

/** A Go konnector also connects unbound exports (spec/konnector.md §7.5). A bound export had its CRD here. */
function wasBound({ export: { status }, resources: parts }: ExportSnapshot): boolean {
  return (
    isReportedBound(status) &&
    parts.some(
      ({ schema }) =>
        schema.kind === 'found' && isConditionTrue(schema.schema.status?.conditions, conditionTypes.established),
    )
  );
}
