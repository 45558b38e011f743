import type { Schema } from '../schema/index.js';

/** A column of `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'date';
  readonly jsonPath: string;
  readonly priority?: number;
}

/** One version of a kind. `schema` describes spec and status below the root object. */
export interface KindVersion {
  readonly name: 'v1alpha1' | 'v1alpha2';
  readonly storage: boolean;
  /** The whole object, `metadata` included. */
  readonly schema: Schema<unknown>;
  readonly columns: readonly PrinterColumn[];
  /** Whether there is a status, and a subresource for it. Default true. */
  readonly hasStatus?: boolean;
}

/** Everything of a kind that its CRD says. Source of facts: spec/kube-bind-api.md §2, §6, §7. */
export interface KindDefinition {
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortNames?: readonly string[];
  readonly category: 'kube-bindings' | 'kube-bind' | 'kcp';
  readonly description: string;
  readonly versions: readonly KindVersion[];
}

const column = (name: string, jsonPath: string, priority?: number): PrinterColumn =>
  ({ name, type: 'string', jsonPath, ...(priority === undefined ? {} : { priority }) });

/** The columns that several kinds share. */
export const columns = {
  of: column,
  age: { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ready: column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
  message: column('Message', '.status.conditions[?(@.type=="Ready")].message'),
} as const;
