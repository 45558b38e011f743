/** Group, version and plural of a resource; the group of the core API is the empty string. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Identifies an object of a resource; `namespace` is absent for cluster-scoped ones. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

export interface ManagedFieldsEntry {
  readonly manager?: string | undefined;
  readonly operation?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly time?: string | undefined;
  readonly subresource?: string | undefined;
  readonly fieldsType?: string | undefined;
  readonly fieldsV1?: unknown;
}

/** `metadata` as the server sends it; unknown fields are kept. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly generateName?: string | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly generation?: number | undefined;
  readonly creationTimestamp?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/** Any object with metadata. Typed kinds extend it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object whose kind is only known at run time. */
export interface UnstructuredObject extends KubeObject {
  readonly [field: string]: unknown;
}

export interface KubeList<T extends KubeObject> {
  readonly metadata: {
    readonly resourceVersion?: string | undefined;
    readonly continue?: string | undefined;
    readonly remainingItemCount?: number | undefined;
  };
  readonly items: readonly T[];
}

/** The server's description of a failure (`meta/v1 Status`). */
export interface Status {
  readonly kind: 'Status';
  readonly status?: 'Success' | 'Failure' | undefined;
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly details?:
    | {
        readonly name?: string | undefined;
        readonly group?: string | undefined;
        readonly kind?: string | undefined;
        readonly uid?: string | undefined;
        readonly retryAfterSeconds?: number | undefined;
        readonly causes?:
          readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[] | undefined;
      }
    | undefined;
}
