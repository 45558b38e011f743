import type { ApiError, KubeObject } from '@hawser/client';
import type { APIServiceBinding, APIServiceExport, CustomResourceDefinition, GroupResource } from '@hawser/kube-bind';
import type { GateTerms, Hold } from './hold.js';
import type { Problem } from './problem.js';
import type { WantedCRD } from './wanted-crd.js';

/** Everything that decides about one binding, read at one moment. */
export interface Observed {
  readonly binding: APIServiceBinding;
  readonly export: ExportReading;
  /** One per entry of the export's `spec.resources`, in its order. Empty while there is no export. */
  readonly resources: readonly ResourceObserved[];
  /** The provider's name for people; `unknown` while the ClusterBinding cannot be read. */
  readonly prettyName: { readonly kind: 'known'; readonly value: string } | { readonly kind: 'unknown' };
  /** On a clock that nobody sets. */
  readonly nowMs: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** Whether somebody has objects stored anew when the storage version moves, so that versions can go. */
  readonly migrates?: boolean | undefined;
}

export type ExportReading =
  | { readonly kind: 'found'; readonly export: APIServiceExport }
  /** `failedRequest`: why the provider refused the request of this name, if it did. */
  | { readonly kind: 'missing'; readonly failedRequest?: string | undefined }
  /** It has another shape than the contract's, so nothing is concluded from it. */
  | { readonly kind: 'malformed'; readonly path: string; readonly message: string }
  /** The provider does not let us look. */
  | { readonly kind: 'unreadable'; readonly error: ApiError };

export interface ResourceObserved {
  /** `<resource>.<group>`: the name of the BoundSchema and of the CRD. */
  readonly name: string;
  readonly resource: GroupResource;
  readonly schema: SchemaReading;
  /** `schemaHash` of the BoundSchema; absent if there is none, or nothing that has one. */
  readonly schemaHash?: string | undefined;
  readonly crd: CRDReading;
  /** Absent: a changed schema is not looked at, and flows. */
  readonly gate?:
    | {
        readonly terms: GateTerms;
        /** Of a changed schema that was looked at just now, and has to wait. */ readonly hold?: Hold | undefined;
      }
    | undefined;
  /** What came of the last attempt to bring this CRD in step, if any was made by this process. */
  readonly lastAttempt?: Attempt | undefined;
  /** Another binding that wants the same resource and is older; absent if this one is the oldest. Counts only while there is no CRD. */
  readonly olderRival?: string | undefined;
}

export type SchemaReading =
  | { readonly kind: 'found'; readonly wanted: WantedCRD }
  | { readonly kind: 'missing' }
  /** The operator does not let providers install it. */
  | { readonly kind: 'refused'; readonly problem: Problem }
  /** The BoundSchema is there, but no CRD can be made of it. */
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

/** Which wanted spec met which live CRD, and what the server made of it. */
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

/** Names a state of a CRD's spec: changes when the spec does or when the CRD is replaced, and not when only its status does. */
export function liveVersion(crd: KubeObject | undefined): string {
  return crd === undefined ? 'absent' : `${crd.metadata.uid ?? ''}/${crd.metadata.generation ?? 0}`;
}
