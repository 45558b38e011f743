import type { KubeObject } from '@hawser/client';
import type { ExportReference } from './api-binding.js';
import type { Condition } from './condition.js';

/** One URL and its shards. Without `matchAll` and selector: one shard. `shards` exists after kcp 0.32.3. */
export interface Endpoint {
  readonly url: string;
  readonly shards?:
    | {
        readonly matchAll?: boolean | undefined;
        readonly selector?:
          | {
              readonly matchLabels?: Readonly<Record<string, string>> | undefined;
              readonly matchExpressions?: readonly object[] | undefined;
            }
          | undefined;
      }
    | undefined;
}

/**
 * `apis.kcp.io/v1alpha1`: where to find the objects of all consumers of an export, one URL for each shard with
 * consumers.
 */
export interface APIExportEndpointSlice extends KubeObject {
  readonly spec?: { readonly export: ExportReference; readonly partition?: string | undefined } | undefined;
  readonly status?:
    | {
        readonly endpoints?: readonly Endpoint[] | undefined;
        readonly conditions?: readonly Condition[] | undefined;
      }
    | undefined;
}

/** `core.kcp.io/v1alpha1`: the workspace seen from inside, named `cluster`. */
export interface LogicalCluster extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>> | undefined;
  readonly status?:
    | {
        readonly phase?: string | undefined;
        readonly URL?: string | undefined;
        readonly conditions?: readonly Condition[] | undefined;
      }
    | undefined;
}

/** `tenancy.kcp.io/v1alpha1`: the workspace seen from its parent. */
export interface Workspace extends KubeObject {
  readonly spec?: { readonly cluster?: string | undefined; readonly URL?: string | undefined } | undefined;
  readonly status?:
    { readonly phase?: string | undefined; readonly conditions?: readonly Condition[] | undefined } | undefined;
}
