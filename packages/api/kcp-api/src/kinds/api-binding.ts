import type { KubeObject } from '@hawser/client';
import type { Condition } from './condition.js';
import type {
  AcceptableClaim,
  PermissionClaim,
  V1alpha1AcceptableClaim,
  V1alpha1PermissionClaim,
} from './permission-claim.js';

/** The export to bind. `path`: of its workspace, or the name of the logical cluster; absent for the same workspace. */
export interface ExportReference {
  readonly path?: string | undefined;
  readonly name: string;
}

export interface BoundResource {
  readonly group: string;
  readonly resource: string;
  readonly schema: { readonly name: string; readonly UID: string; readonly identityHash: string };
  readonly storageVersions?: readonly string[] | undefined;
}

interface BindingStatus<Claim> {
  readonly phase?: '' | 'Binding' | 'Bound' | undefined;
  readonly apiExportClusterName?: string | undefined;
  readonly boundResources?: readonly BoundResource[] | undefined;
  readonly appliedPermissionClaims?: readonly Claim[] | undefined;
  readonly exportPermissionClaims?: readonly Claim[] | undefined;
  readonly conditions?: readonly Condition[] | undefined;
}

/** An APIBinding as `apis.kcp.io/v1alpha1`. */
export interface V1alpha1APIBinding extends KubeObject {
  readonly spec?:
    | {
        readonly reference: { readonly export?: ExportReference | undefined };
        readonly permissionClaims?: readonly V1alpha1AcceptableClaim[] | undefined;
      }
    | undefined;
  readonly status?: BindingStatus<V1alpha1PermissionClaim> | undefined;
}

/** An APIBinding as `apis.kcp.io/v1alpha2`: a consumer binds an export in its workspace. */
export interface APIBinding extends KubeObject {
  readonly spec?:
    | {
        readonly reference: { readonly export?: ExportReference | undefined };
        readonly permissionClaims?: readonly AcceptableClaim[] | undefined;
      }
    | undefined;
  readonly status?: BindingStatus<PermissionClaim> | undefined;
}
