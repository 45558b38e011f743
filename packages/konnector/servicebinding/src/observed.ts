import type { ApiError, KubeObject } from '@hawser/client';
import type { APIServiceBinding, APIServiceExport, CustomResourceDefinition, GroupResource } from '@hawser/kube-bind';
import type { GateTerms, Hold } from './hold.js';
import type { Problem } from './problem.js';
import type { WantedCRD } from './wanted-crd.js';

/** Everything that decides about one binding, read at one moment. */
export interface Observed {
  readonly binding: APIServiceBinding;
  readonly export: ExportReading;
  /** One per entry of the export's `spec.resources`, in its order. Empty without an export. */
  readonly resources: readonly ResourceObserved[];
  /** The provider's display name; `unknown` while the ClusterBinding cannot be read. */
  readonly prettyName: { readonly kind: 'known'; readonly value: string } | { readonly kind: 'unknown' };
  /** On a monotonic clock. */
  readonly nowMs: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whether a controller rewrites stored objects when the storage version moves, so versions can be removed. */
  readonly migrates?: boolean | undefined;
}

export type ExportReading =
  | { readonly kind: 'found'; readonly export: APIServiceExport }
  /** `failedRequest`: why the provider refused the request of this name, if so. */
  | { readonly kind: 'missing'; readonly failedRequest?: string | undefined }
  /** It does not match the contract's shape, so nothing follows from it. */
  | { readonly kind: 'malformed'; readonly path: string; readonly message: string }
  /** The provider forbids reading it. */
  | { readonly kind: 'unreadable'; readonly error: ApiError };

export interface ResourceObserved {
  /** `<resource>.<group>`: the name of the BoundSchema and of the CRD. */
  readonly name: string;
  readonly resource: GroupResource;
  readonly schema: SchemaReading;
  /** `schemaHash` of the BoundSchema; absent: there is none, or it has no hash. */
  readonly schemaHash?: string | undefined;
  readonly crd: CRDReading;
  /** Absent: changed schemas are not judged, and flow. */
  readonly gate?:
    | {
        readonly terms: GateTerms;
        /** Result for a changed schema that was judged just now and must wait. */ readonly hold?: Hold | undefined;
      }
    | undefined;
  /** Result of the last attempt to bring this CRD in step, if this process made one. */
  readonly lastAttempt?: Attempt | undefined;
  /**
   * An older binding that wants the same resource; absent: this one is the oldest. Counts only while there is no CRD.
   */
  readonly olderRival?: string | undefined;
}

export type SchemaReading =
  | { readonly kind: 'found'; readonly wanted: WantedCRD }
  | { readonly kind: 'missing' }
  /** The operator's policy forbids it. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** The BoundSchema exists, but gives no CRD. */
  | { readonly kind: 'invalid'; readonly error: string }
  | { readonly kind: 'unreadable'; readonly error: ApiError };

export type CRDReading =
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'present';
      /** Only the metadata, as cached. */
      readonly object: KubeObject;
      /** The whole object, read just now: only if the CRD is ours and is not known to be in step. */
      readonly full?: CustomResourceDefinition | undefined;
    }
  | { readonly kind: 'unreadable'; readonly error: ApiError };

/** The wanted spec, the live CRD, and the server's answer. */
export interface Attempt {
  readonly wantedHash: string;
  /** From {@link liveVersion}. */
  readonly live: string;
  readonly atMs: number;
  readonly outcome:
    | { readonly kind: 'inStep' }
    | { readonly kind: 'held'; readonly hold: Hold; readonly terms: GateTerms }
    | { readonly kind: 'refused'; readonly verb: 'create' | 'update'; readonly message: string };
}

/**
 * Identifies the state of a CRD's spec. Changes when the spec changes or the CRD is replaced, not when only its status
 * changes.
 */
export function liveVersion(crd: KubeObject | undefined): string {
  return crd === undefined ? 'absent' : `${crd.metadata.uid ?? ''}/${crd.metadata.generation ?? 0}`;
}
