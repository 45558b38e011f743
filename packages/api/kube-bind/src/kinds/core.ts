import type { KubeObject } from '@hawser/client';

/** A core `v1` Secret. Values of `data` are base64. Never log one. */
export interface Secret extends KubeObject {
  readonly type?: string | undefined;
  readonly immutable?: boolean | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
  readonly stringData?: Readonly<Record<string, string>> | undefined;
}

/** A core `v1` Namespace. */
export interface Namespace extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] | undefined } | undefined;
  readonly status?: { readonly phase?: string | undefined } | undefined;
}
