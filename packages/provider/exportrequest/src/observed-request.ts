import {
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceNamespace,
  type BoundSchema,
  hawserAnnotations,
  isWithdrawn,
} from '@hawser/kube-bind';
import type { SourceSchema, Stamp } from './source-schema.js';
import type { Admission } from './template/admission.js';

/** A write that the API server refused in this pass, and would refuse again. */
export interface Refusal {
  /** The refused write, and the server's own words. */
  readonly message: string;
}

/** One request and everything of its namespace that it concerns. An immutable snapshot. */
export interface ObservedRequest {
  /** Undefined: not in the cache. */
  readonly request: APIServiceExportRequest | undefined;
  /** The requested resources with an exported CRD, by {@link resourceGroupName}, stamped for this request. */
  readonly sources: ReadonlyMap<string, SourceSchema>;
  /** The existing BoundSchemas, by name. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  /** The export of the request's name. */
  readonly export: APIServiceExport | undefined;
  /** The existing APIServiceNamespaces, by name. */
  readonly namespaces: ReadonlyMap<string, APIServiceNamespace>;
  /**
   * The consumer's objects, of any request, including those being made. Counted only while something of the request
   * must be created.
   */
  readonly made: { readonly exports: number; readonly namespaces: number };
  /** Undefined: not asked, because nothing new would be granted; see {@link needsAdmission}. */
  readonly admission?: Admission | undefined;
  readonly refusal?: Refusal | undefined;
}

/** Content of a new export; an existing one keeps its own. */
export interface RequestSettings extends Stamp {
  /** Whether changed schemas are propagated under policy `Always`. Default true. */
  readonly carriesSchemas?: boolean | undefined;
  /** Limit of exports made for one consumer. Default: no limit. */
  readonly exportsPerConsumer?: number | undefined;
  /** Limit of APIServiceNamespaces of one consumer, including those that its requests name. Default: no limit. */
  readonly namespacesPerConsumer?: number | undefined;
}

/**
 * Whether an answer would grant something. An existing export stays as it is, with or without a template; a withdrawn
 * one is granted anew. The request of an export influences schema changes, so a request that replaces another is
 * granted that.
 */
export function needsAdmission({ request, export: found }: Pick<ObservedRequest, 'request' | 'export'>): boolean {
  if (request === undefined || (request.status?.phase ?? 'Pending') !== 'Pending') return false;
  if (found === undefined || isWithdrawn(found.metadata)) return true;
  const madeFor = found.metadata.annotations?.[hawserAnnotations.request];
  // Exports of other programs name no request, and keep working with a new one.
  return madeFor === undefined ? request.spec.schemaUpdatePolicy === 'Always' : madeFor !== request.metadata.uid;
}
