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

import { type ExportFacts, boundSchemaStatus, exportStatus, saysBound } from './export-status.js';
import type { ExportSnapshot } from './plan-syncs.js';

/** What has become of a binding, read live. One that is going still has objects to see to; one that another connection serves stays. */
export type Fate = 'gone' | 'going' | 'stays';

/** All that decides about what the provider is told of one export. */
export interface ObservedReport {
  readonly snapshot: ExportSnapshot;
  /** Why some of its resources cannot be synced as they are exported. */
  readonly noPlace: string | undefined;
  /** What has become of its schemas, by resource, as far as that is known. */
  readonly answers: ReadonlyMap<string, SchemaAnswer>;
  /** Resources that another export of the connection names, too. */
  readonly shared: ReadonlySet<string>;
  /** The cache has a binding of that name, whichever connection serves it. */
  readonly isCached: boolean;
  /** The binding has left this connection, and the provider does not know why. */
  readonly hasLeft: boolean;
  /** Undefined: it was not asked. */
  readonly fate: Fate | undefined;
}

/** What is to be said on one object of the provider. Closed; said only by `ReportActor`. */
export interface Saying<T extends KubeObject & { readonly status?: unknown }> {
  /** `<kind>/<name>` */
  readonly key: string;
  readonly resource: Resource;
  readonly object: T;
  /** The status with it. Pure; `now` only dates conditions. */
  readonly statusOf: (status: T['status'], now: number) => StatusOf<T>;
}

/**
 * Whether the binding is there and another connection serves it, of this process or of one that shares the work. That may lead to this very export, and speaks for it; the
 * one that served it before says once that it does no more. Pure.
 */
export function isElsewhere({
  snapshot,
  isCached,
  hasLeft,
}: Pick<ObservedReport, 'snapshot' | 'isCached' | 'hasLeft'>): boolean {
  return snapshot.binding === undefined && isCached && !hasLeft;
}

/** Whether it has to be read what has become of the binding. Pure. */
export function asksForFate({ snapshot, isCached, hasLeft }: Omit<ObservedReport, 'fate'>): boolean {
  return hasLeft || (snapshot.binding === undefined && !isCached && wasBound(snapshot));
}

/** Whether the binding of the export was there and is gone: as this process has seen it, or as the provider was told by an earlier one. Pure. */
export function isUnbound({ snapshot, isCached, fate }: ObservedReport): boolean {
  return snapshot.binding === undefined && !isCached && fate === 'gone';
}

/** Whether nothing more is to be told of a binding that has left: it was told of, or has moved. The cache may still have one that is gone. Pure. */
export function isToldOf(observed: ObservedReport, isSaid: boolean): boolean {
  return (isUnbound(observed) && isSaid) || observed.fate === 'stays';
}

/** What is to be said on the BoundSchemas, and which of them could not be read, in words. Pure. */
export function decideSchemas({ snapshot, answers, shared }: ObservedReport): {
  readonly unread: readonly string[];
  readonly sayings: readonly Saying<BoundSchema>[];
} {
  const { binding, resources: parts } = snapshot;
  const unread = parts.flatMap(({ schema }) => (schema.kind === 'unreadable' ? [schema.message] : []));
  if (binding === undefined) return { unread, sayings: [] };
  const sayings = parts.flatMap(({ name, schema, crd }): Saying<BoundSchema>[] => {
    if (schema.kind !== 'found') return [];
    const ours = crd !== undefined && isOwnedByBinding(crd, binding) ? crd : undefined;
    // One of several exports that name a resource has it, and speaks for it.
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
  return { unread, sayings };
}

/** What is to be said on the export, once its schemas were reported on. `failures`: what went wrong with these, in words. Pure. */
export function decideExport(observed: ObservedReport, failures: readonly string[]): Saying<APIServiceExport> {
  const { snapshot, noPlace } = observed;
  const schemaFailure = failures.length === 0 ? undefined : failures.join(' ');
  return sayExport(snapshot.export, {
    binding: snapshot.binding,
    schemaFailure,
    noPlace,
    unbound: isUnbound(observed),
  });
}

/** That the binding of an export is gone. Pure. */
export function decideDeparture(apiExport: APIServiceExport): Saying<APIServiceExport> {
  return sayExport(apiExport, { binding: undefined, schemaFailure: undefined, unbound: true });
}

function sayExport(object: APIServiceExport, facts: ExportFacts): Saying<APIServiceExport> {
  return {
    key: `export/${object.metadata.name}`,
    resource: resources.apiServiceExports,
    object,
    statusOf: (status, now) => exportStatus(status, facts, now),
  };
}

/** A Go konnector also calls unbound exports connected (spec/konnector.md §7.5). A consumer that had an export bound has had its CRD. */
function wasBound({ export: { status }, resources: parts }: ExportSnapshot): boolean {
  return (
    saysBound(status) &&
    parts.some(
      ({ schema }) =>
        schema.kind === 'found' && isConditionTrue(schema.schema.status?.conditions, conditionTypes.established),
    )
  );
}
