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
  /** What was to be written, and the server's own words. */
  readonly message: string;
}

/** One request and everything of its namespace that it concerns. A snapshot: nothing in it changes. */
export interface ObservedRequest {
  /** Undefined: not in the cache. */
  readonly request: APIServiceExportRequest | undefined;
  /** Of the requested resources, those with an exported CRD, by {@link resourceGroupName}, stamped for this request. */
  readonly sources: ReadonlyMap<string, SourceSchema>;
  /** The BoundSchemas that exist, by name. */
  readonly boundSchemas: ReadonlyMap<string, BoundSchema>;
  /** The export of the request's name. */
  readonly export: APIServiceExport | undefined;
  /** The APIServiceNamespaces that exist, by name. */
  readonly namespaces: ReadonlyMap<string, APIServiceNamespace>;
  /** What the consumer has, of whichever request, and what is being made for it. Counted only while something of the request is to be made. */
  readonly made: { readonly exports: number; readonly namespaces: number };
  /** Undefined: not asked, because nothing new would be granted; see {@link needsAdmission}. */
  readonly admission?: Admission | undefined;
  readonly refusal?: Refusal | undefined;
}

/** What a new export says; one that exists keeps its own. */
export interface RequestSettings extends Stamp {
  /** Whether changed schemas are carried on under policy `Always`. Default true. */
  readonly carriesSchemas?: boolean | undefined;
  /** Exports that are made for one consumer. Default: no bound. */
  readonly exportsPerConsumer?: number | undefined;
  /** APIServiceNamespaces that one consumer has, with those that its requests name. Default: no bound. */
  readonly namespacesPerConsumer?: number | undefined;
}

/**
 * Whether answering the request would grant something. An export that exists stays as it is, with or without a template; one that was withdrawn is granted
 * anew. The request that an export is for has a say about schema changes, so one that takes the place of another is granted that.
 */
export function needsAdmission({ request, export: found }: Pick<ObservedRequest, 'request' | 'export'>): boolean {
  if (request === undefined || (request.status?.phase ?? 'Pending') !== 'Pending') return false;
  if (found === undefined || isWithdrawn(found.metadata)) return true;
  const madeFor = found.metadata.annotations?.[hawserAnnotations.request];
  // Exports of other programs name none, and go on with a new request as they are.
  return madeFor === undefined ? request.spec.schemaUpdatePolicy === 'Always' : madeFor !== request.metadata.uid;
}
