import { type AdmissionPolicy, type AdmissionPolicyBinding } from './admission-policy.js';
import { sharedNamespaceAnnotation } from './marks.js';
import { anyIn, isRoot, policyWords, type PolicyWords } from './policy-words.js';
import { codeRules, credentialRules, otherRules, ownRules, rightsRules } from './provider-policy-rules.js';

type Spec = NonNullable<AdmissionPolicy['spec']>;

/** Name of the policy, and of its binding, for the provider role itself. */
export const providerPolicyName = 'hawser-provider';

export interface ProviderPolicyOptions {
  /** User of the provider role. */
  readonly provider: string;
  /** The only namespaces for BindableResourcesRequests. Default: any, as without `provider.requestNamespaces`. */
  readonly requestNamespaces?: readonly string[] | undefined;
}

const writes = ['CREATE', 'UPDATE', 'DELETE'] as const;

/**
 * Prevents the provider role from acting as another user. RBAC cannot restrict names on create: `create` on Secrets
 * with `get` on one name yields a token of any ServiceAccount, and `bind` on the role for claimed Secrets yields read
 * access in any namespace. So this fixes type, name and namespace of each object that grants rights, credentials or
 * code. One for both dialects and for AppClusterBindings. It grants nothing.
 */
export function providerPolicy({ provider, requestNamespaces }: ProviderPolicyOptions): AdmissionPolicy {
  const words = policyWords(requestNamespaces);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: providerPolicyName },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: judged },
      matchConditions: [{ name: 'the-provider-role', expression: `request.userInfo.username == '${provider}'` }],
      variables: variablesOf(words),
      validations: [...credentialRules(words), ...rightsRules(words), ...ownRules(words), ...otherRules, ...codeRules],
    },
  };
}

/** Resources that grant rights, credentials or code. */
const judged: NonNullable<Spec['matchConstraints']>['resourceRules'] = [
  {
    apiGroups: [''],
    apiVersions: ['*'],
    operations: writes,
    resources: [
      'namespaces',
      'secrets',
      'serviceaccounts',
      'serviceaccounts/token',
      'configmaps',
      'resourcequotas',
      'limitranges',
      'pods',
      'pods/*',
    ],
  },
  { apiGroups: ['rbac.authorization.k8s.io'], apiVersions: ['*'], operations: writes, resources: ['*'] },
  {
    apiGroups: ['apiextensions.k8s.io'],
    apiVersions: ['*'],
    operations: writes,
    resources: ['customresourcedefinitions', 'customresourcedefinitions/status'],
  },
  { apiGroups: ['apps', 'batch'], apiVersions: ['*'], operations: writes, resources: ['*'] },
  {
    apiGroups: ['admissionregistration.k8s.io', 'apiregistration.k8s.io', 'certificates.k8s.io'],
    apiVersions: ['*'],
    operations: writes,
    resources: ['*'],
  },
];

function variablesOf({ identities, services }: PolicyWords): Spec['variables'] {
  return [
    {
      name: 'marks',
      expression: 'namespaceObject == null ? {} : namespaceObject.metadata.?annotations.orValue({})',
    },
    { name: 'labels', expression: 'namespaceObject == null ? {} : namespaceObject.metadata.?labels.orValue({})' },
    // Namespace is a cluster namespace, or the root namespace of an AppClusterBinding.
    { name: 'isConsumers', expression: `${anyIn('variables.marks', identities)} || ${isRoot('variables.labels')}` },
    {
      name: 'isService',
      expression: `${anyIn('variables.marks', services)} || variables.marks[?'${sharedNamespaceAnnotation}'].orValue('') == 'true'`,
    },
    {
      name: 'name',
      expression:
        "object != null && has(object.metadata) && has(object.metadata.name) ? object.metadata.name : (oldObject != null ? oldObject.metadata.name : '')",
    },
    {
      name: 'subject',
      expression:
        "object != null && has(object.subjects) && object.subjects.size() == 1 && object.subjects[0].kind == 'ServiceAccount' ? object.subjects[0] : {'name': '', 'namespace': ''}",
    },
    {
      name: 'role',
      expression:
        "object != null && has(object.roleRef) && object.roleRef.kind == 'ClusterRole' ? object.roleRef.name : ''",
    },
  ];
}

export const providerPolicyBinding: AdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: providerPolicyName },
  spec: { policyName: providerPolicyName, validationActions: ['Deny'] },
};
