/** The claimed resource. `group` is empty or absent for the core API. */
export interface ClaimedResource {
  readonly group?: string | undefined;
  readonly resource: string;
  /** Identity of the APIExport that provides the resource; empty or absent for a built-in one. */
  readonly identityHash?: string | undefined;
}

/** A permission claim of v1alpha1. */
export interface V1alpha1PermissionClaim extends ClaimedResource {
  readonly all?: boolean | undefined;
  readonly resourceSelector?:
    readonly { readonly name?: string | undefined; readonly namespace?: string | undefined }[] | undefined;
}

/** A permission claim of v1alpha2. */
export interface PermissionClaim extends ClaimedResource {
  /** `*` stands for all. */
  readonly verbs: readonly string[];
  readonly defaultSelector?: Readonly<Record<string, unknown>> | undefined;
}

/** The consumer's answer to a claim. */
export type ClaimState = 'Accepted' | 'Rejected';

/** A claim with its answer, in v1alpha1. */
export interface V1alpha1AcceptableClaim extends V1alpha1PermissionClaim {
  readonly state?: ClaimState | undefined;
}

/** Objects that a consumer lets the provider see. */
export interface ClaimSelector {
  readonly matchAll?: boolean | undefined;
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] | undefined }[]
    | undefined;
}

/** A claim with its answer, in v1alpha2. */
export interface AcceptableClaim extends PermissionClaim {
  readonly state?: ClaimState | undefined;
  readonly selector?: ClaimSelector | undefined;
}

/** Whether two claims concern the same resource of the same export: kcp's identity of a claim. */
export function isSameClaim(a: ClaimedResource, b: ClaimedResource): boolean {
  return (
    (a.group ?? '') === (b.group ?? '') &&
    a.resource === b.resource &&
    (a.identityHash ?? '') === (b.identityHash ?? '')
  );
}

const builtIn: Readonly<Record<string, readonly string[]>> = {
  '': ['namespaces', 'configmaps', 'events', 'resourcequotas', 'secrets', 'serviceaccounts'],
  'rbac.authorization.k8s.io': ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
  'certificates.k8s.io': ['certificatesigningrequests'],
  'coordination.k8s.io': ['leases'],
  'admissionregistration.k8s.io': [
    'mutatingwebhookconfigurations',
    'validatingwebhookconfigurations',
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
  ],
  'events.k8s.io': ['events'],
  'apiextensions.k8s.io': ['customresourcedefinitions'],
  'core.kcp.io': ['logicalclusters'],
  'authorization.k8s.io': ['subjectaccessreviews', 'localsubjectaccessreviews'],
};

/**
 * Whether kcp requires an identity hash for a claim: it does for every resource of another export
 * (spec/api-syncagent.md §3.1).
 */
export function needsIdentityHash({ group = '', resource }: Pick<ClaimedResource, 'group' | 'resource'>): boolean {
  if (group === 'apis.kcp.io') return false;
  return !Object.hasOwn(builtIn, group) || builtIn[group]?.includes(resource) !== true;
}
