import { type GroupResource, resourceGroupName } from '@hawser/kube-bind';
import { describeRule, type PolicyRule } from '@hawser/rbac';

/** Why a konnector must list a resource in the whole cluster. */
export type SharedScopeCause = 'clusterScoped' | 'isolationNamespaced' | 'informerScope';

/** Why a consumer does not get a right that an export needs. Closed. */
export type Refusal =
  /** Only cluster-wide rights would work, and the operator has not allowed them. */
  | { readonly kind: 'sharedScope'; readonly resource: GroupResource; readonly because: SharedScopeCause }
  /** Names cannot be separated: the admission policy is not in force. */
  | { readonly kind: 'policy'; readonly resource: GroupResource; readonly policy: string; readonly what: string }
  /** Names cannot be separated: another consumer's prefix begins with this one's. */
  | { readonly kind: 'prefix'; readonly resource: GroupResource; readonly other: string }
  | { readonly kind: 'roleMissing'; readonly role: string; readonly rules: readonly PolicyRule[] }
  | {
      readonly kind: 'roleDiffers';
      readonly role: string;
      readonly missing: readonly PolicyRule[];
      readonly excess: readonly PolicyRule[];
    }
  /** The operator withdrew the export by an annotation on the cluster namespace. */
  | { readonly kind: 'withdrawn'; readonly clusterNamespace: string; readonly name: string }
  /** The namespace was not made for a consumer, and the operator has not opened it. */
  | { readonly kind: 'foreignNamespace'; readonly namespace: string }
  /** Behind a gateway: claimed objects in the namespace may be another consumer's; they bear no mark. */
  | { readonly kind: 'claimsShared'; readonly namespace: string };

/** Whether the cause is an unfinished installation of the provider, not a request that must be refused. */
export function isUnfinished({ kind }: Refusal): boolean {
  return kind === 'policy' || kind === 'roleMissing' || kind === 'roleDiffers';
}

/** Reason and message of the condition `RightsGranted`. The first refusal gives the reason. */
export function refusalCondition(refusals: readonly [Refusal, ...Refusal[]]): {
  readonly reason: string;
  readonly message: string;
} {
  const [{ kind }] = refusals;
  return { reason: reasons[kind], message: [...new Set(refusals.map(messageOf))].join(' ') };
}

/** Reasons of the condition `RightsGranted`. */
type RightsReason =
  | 'SharedClusterScopeRequired'
  | 'AdmissionPolicyMissing'
  | 'PrefixNotUnique'
  | 'ConsumerRoleMissing'
  | 'ConsumerRoleDiffers'
  | 'NamespaceNotOpen'
  | 'ClaimedObjectsShared'
  | 'WithdrawnByOperator';

const sharedScopeCauses = {
  clusterScoped: 'is cluster-scoped',
  isolationNamespaced: 'is served under isolation Namespaced',
} as const;

const reasons: Readonly<Record<Refusal['kind'], RightsReason>> = {
  sharedScope: 'SharedClusterScopeRequired',
  policy: 'AdmissionPolicyMissing',
  prefix: 'PrefixNotUnique',
  roleMissing: 'ConsumerRoleMissing',
  roleDiffers: 'ConsumerRoleDiffers',
  foreignNamespace: 'NamespaceNotOpen',
  claimsShared: 'ClaimedObjectsShared',
  withdrawn: 'WithdrawnByOperator',
};

function messageOf(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'sharedScope': {
      if (refusal.because === 'informerScope')
        return `${resourceGroupName(refusal.resource)} cannot be listed in the whole cluster, as the export has it: every consumer would see the objects of all. Rights are given in the consumer's own namespaces; a konnector that needs the whole cluster does not sync. The provider has to have it bound anew under informer scope Namespaced, which nobody can change in an export, to run a gateway, or to accept that with --shared-cluster-scope.`;
      return `No rights are given on ${resourceGroupName(refusal.resource)}: it ${sharedScopeCauses[refusal.because]}, so konnectors can only list it in the whole cluster, and every consumer would see the objects of all. The provider has to run a gateway, to offer a namespaced resource under isolation Prefixed, or to accept that with --shared-cluster-scope.`;
    }
    case 'policy':
      return `No rights are given on ${resourceGroupName(refusal.resource)}: nothing would keep a consumer from writing objects with names of others, because ${refusal.what}. The provider has to install the admission policy "${refusal.policy}" as the chart has it.`;
    case 'prefix':
      return `No rights are given on ${resourceGroupName(refusal.resource)}: the names of this consumer's objects begin as those of cluster namespace "${refusal.other}" do. The provider has to onboard one of the two under another name.`;
    case 'roleMissing':
      return `ClusterRole "${refusal.role}" does not exist. Provider: list the resource under exportedResources of the chart, or run \`hawser rbac --roles provider | kubectl apply -f -\`. The role gives ${refusal.rules.map(describeRule).join(', ')}.`;
    case 'roleDiffers':
      return `ClusterRole "${refusal.role}" ${differences(refusal.missing, refusal.excess)}. Who has it keeps it; no other namespace or consumer gets it until then. Provider: put its rules right, or run \`hawser rbac --roles provider | kubectl apply -f -\`.`;
    case 'withdrawn':
      return `The provider has withdrawn APIServiceExport "${refusal.name}", so no rights are given; objects stay. Consumer: ask the provider. Provider: to give the rights back, take the export out of annotation hawser.dev/withdrawn-exports, or hawser.dev/withdrawn, of Namespace "${refusal.clusterNamespace}".`;
    case 'foreignNamespace':
      return `No rights are given in namespace "${refusal.namespace}": it was not made for a consumer. The provider has to open it with the annotation hawser.dev/shared-namespace: "true", or the consumer to use a namespace of another name.`;
    case 'claimsShared':
      return `Claimed objects in namespace "${refusal.namespace}" are not served: others have it too, or had it before, and nothing tells whose a claimed object is. The consumer has to use a namespace of a name that nobody else has, or the provider to offer the API under isolation Prefixed.`;
  }
}

function differences(missing: readonly PolicyRule[], excess: readonly PolicyRule[]): string {
  const parts = [
    ...(missing.length === 0 ? [] : [`lacks ${missing.map(describeRule).join(', ')}`]),
    ...(excess.length === 0 ? [] : [`gives more than is needed: ${excess.map(describeRule).join(', ')}`]),
  ];
  return parts.join(' and ');
}
