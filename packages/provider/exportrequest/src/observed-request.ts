import type { APIServiceExport, APIServiceExportRequest, APIServiceNamespace, BoundSchema } from '@hawser/kube-bind';
import type { SourceSchema, Stamp } from './source-schema.js';

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
  readonly refusal?: Refusal | undefined;
}

/** What a new export says; one that exists keeps its own. */
export type RequestSettings = Stamp;
