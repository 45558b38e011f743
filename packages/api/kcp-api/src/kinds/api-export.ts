import type { KubeObject } from '@hawser/client';
import type { Condition } from './condition.js';
import type { PermissionClaim, V1alpha1PermissionClaim } from './permission-claim.js';

interface SharedSpec {
  readonly identity?:
    | {
        readonly secretRef?:
          { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
      }
    | undefined;
  readonly maximalPermissionPolicy?: Readonly<Record<string, unknown>> | undefined;
}

export interface APIExportStatus {
  readonly identityHash?: string | undefined;
  readonly conditions?: readonly Condition[] | undefined;
  readonly virtualWorkspaces?: readonly { readonly url: string }[] | undefined;
}

/** An APIExport as `apis.kcp.io/v1alpha1`. */
export interface V1alpha1APIExport extends KubeObject {
  readonly spec?:
    | (SharedSpec & {
        readonly latestResourceSchemas?: readonly string[] | undefined;
        readonly permissionClaims?: readonly V1alpha1PermissionClaim[] | undefined;
      })
    | undefined;
  readonly status?: APIExportStatus | undefined;
}

/** Where objects live: in the consumers' workspaces, or behind another storage. Exactly one is set. */
export interface ExportStorage {
  readonly crd?: Readonly<Record<string, never>> | undefined;
  readonly virtual?: Readonly<Record<string, unknown>> | undefined;
}

/** An exported resource. `name` is its plural, `schema` the name of the APIResourceSchema. */
export interface ExportedResource {
  readonly name: string;
  readonly group: string;
  readonly schema: string;
  readonly storage?: ExportStorage | undefined;
}

/** An APIExport as `apis.kcp.io/v1alpha2`, the version that is stored. */
export interface APIExport extends KubeObject {
  readonly spec?:
    | (SharedSpec & {
        readonly resources?: readonly ExportedResource[] | undefined;
        readonly permissionClaims?: readonly PermissionClaim[] | undefined;
      })
    | undefined;
  readonly status?: APIExportStatus | undefined;
}
