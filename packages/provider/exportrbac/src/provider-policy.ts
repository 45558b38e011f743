import { dialects, klutchDialect, labels as klutchLabels } from '@hawser/klutch';
import {
  type AdmissionPolicy,
  type AdmissionPolicyBinding,
  allowDeletionAnnotation,
  statusReason,
} from './admission-policy.js';
import { sharedNamespaceAnnotation } from './marks.js';

/** Name of the policy for the provider role itself, and of its binding. */
export const providerPolicyName = 'hawser-provider';

export interface ProviderPolicyOptions {
  /** The user that the provider role is. */
  readonly provider: string;
  /** The only namespaces in which it answers BindableResourcesRequests. Default: any namespace, as without `provider.requestNamespaces`. */
  readonly requestNamespaces?: readonly string[] | undefined;
}

const writes = ['CREATE', 'UPDATE', 'DELETE'] as const;
const legacyToken = 'kubernetes.io/service-account-token';
/** ClusterRoles of the konnector of an AppClusterBinding: in its root namespace, and in the cluster. */
const konnectorRoles = { root: 'control-plane-connector', cluster: 'klutch-konnector' } as const;

/**
 * Keeps the provider role from becoming another user. RBAC cannot name what it creates: `create` on Secrets with `get` on one name is a token of any ServiceAccount, and `bind` on the role for
 * claimed Secrets is the right to read those of any namespace. So this binds type, name and namespace of each object that gives rights, credentials or code. One for both dialects and for AppClusterBindings. It is no grant.
 */
export function providerPolicy({ provider, requestNamespaces }: ProviderPolicyOptions): AdmissionPolicy {
  const binders = dialects.map(({ names }) => names.binder);
  const identities = dialects.flatMap(({ identityAnnotations }) => identityAnnotations);
  const services = dialects.map(({ annotations }) => annotations.apiServiceNamespace);
  const groups = dialects.flatMap((one) =>
    one.name === klutchDialect.name ? [one.apiGroup, `example-backend.${one.apiGroup}`] : [one.apiGroup],
  );
  const anyIn = (map: string, keys: readonly string[]): string => keys.map((key) => `'${key}' in ${map}`).join(' || ');
  const isRoot = (map: string): string => anyIn(map, [klutchLabels.appClusterBindingName]);
  const tokenNames = binders.flatMap((binder) => [binder, `${binder}-next`]);
  const isA = (...resources: readonly string[]): string =>
    resources.length === 1
      ? `request.resource.resource == ${listed(resources).slice(1, -1)}`
      : `request.resource.resource in ${listed(resources)}`;
  const unless = (resources: readonly string[], expression: string): string =>
    `!(${isA(...resources)}) || (${expression})`;
  const answersHere =
    requestNamespaces === undefined ? 'true' : `request.namespace in ${JSON.stringify(requestNamespaces)}`;

  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: providerPolicyName },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
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
        ],
      },
      matchConditions: [{ name: 'the-provider-role', expression: `request.userInfo.username == '${provider}'` }],
      variables: [
        {
          name: 'marks',
          expression: 'namespaceObject == null ? {} : namespaceObject.metadata.?annotations.orValue({})',
        },
        { name: 'labels', expression: 'namespaceObject == null ? {} : namespaceObject.metadata.?labels.orValue({})' },
        // Of a cluster namespace, or the root namespace of an AppClusterBinding.
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
      ],
      validations: [
        {
          expression: unless(
            ['secrets'],
            `variables.isConsumers || (${answersHere} && !(variables.name in ${listed([...tokenNames, 'kubeconfig'])}))`,
          ),
          message: 'the provider role writes Secrets in namespaces of consumers, and where it answers requests',
          reason: statusReason,
        },
        {
          expression: unless(
            ['secrets'],
            `object == null || object.?type.orValue('Opaque') == 'Opaque' || (object.type == '${legacyToken}' && variables.isConsumers && variables.name in ${listed(tokenNames)} && object.metadata.?annotations[?'kubernetes.io/service-account.name'].orValue('') in ${listed(binders)})`,
          ),
          message: `the provider role makes tokens of the ServiceAccounts of consumers (${binders.join(', ')}) and of no others`,
          reason: statusReason,
        },
        {
          expression: unless(
            ['serviceaccounts'],
            `variables.isConsumers && (request.?subResource.orValue('') == 'token' ? request.name : variables.name) in ${listed(binders)}`,
          ),
          message: `the provider role writes ServiceAccounts ${binders.join(', ')} in namespaces of consumers, and asks for tokens of no others`,
          reason: statusReason,
        },
        {
          expression: unless(
            ['rolebindings', 'clusterrolebindings'],
            `object == null ? ${listed([...binders, ...Object.values(konnectorRoles)])}.exists(one, oldObject.metadata.name.startsWith(one)) : variables.subject.name in ${listed(binders)}`,
          ),
          message: `the provider role gives rights to the ServiceAccounts of consumers (${binders.join(', ')}), one at a time, and takes them from no others`,
          reason: statusReason,
        },
        {
          // The name of a binding says whose it is and what it gives.
          expression: unless(
            ['rolebindings'],
            [
              'object == null',
              'variables.isConsumers && variables.subject.namespace == request.namespace && variables.role == variables.subject.name && variables.name == variables.subject.name',
              `variables.role.startsWith(variables.subject.name + ':') && variables.name == variables.subject.name + ':' + variables.subject.namespace + variables.role.substring(variables.subject.name.size()) && (variables.isService || (variables.isConsumers && variables.subject.namespace == request.namespace && variables.role.startsWith(variables.subject.name + ':objects:')))`,
              `variables.isConsumers && variables.subject.namespace == request.namespace && variables.role == '${konnectorRoles.root}' && variables.name == '${konnectorRoles.root}'`,
            ]
              .map((one) => `(${one})`)
              .join(' || '),
          ),
          message: 'the provider role gives rights in namespaces of consumers, by the roles that are made for that',
          reason: statusReason,
        },
        {
          expression: unless(
            ['clusterrolebindings'],
            [
              'object == null',
              "(['objects', 'watch', 'any-name'].exists(one, variables.role.startsWith(variables.subject.name + ':' + one + ':')) && variables.name == variables.subject.name + ':' + variables.subject.namespace + variables.role.substring(variables.subject.name.size()))",
              `(variables.role == '${konnectorRoles.cluster}' && variables.name.startsWith('${konnectorRoles.cluster}-'))`,
            ].join(' || '),
          ),
          message:
            'in the whole cluster the provider role gives rights to exported resources, and none to what is claimed',
          reason: statusReason,
        },
        {
          expression: unless(
            ['clusterroles', 'roles'],
            `(object == null && ${listed([...binders.map((binder) => `${binder}-`), `${konnectorRoles.cluster}-`])}.exists(one, oldObject.metadata.name.startsWith(one)))`,
          ),
          message: 'the provider role makes and changes no roles; it removes those of a Go backend',
          reason: statusReason,
        },
        {
          expression: unless(
            ['customresourcedefinitions'],
            `(object != null && request.?subResource.orValue('') == '' && object.spec.group in ${listed(groups)} && object.spec.?conversion.?strategy.orValue('None') == 'None')`,
          ),
          message: `the provider role writes the CRDs of ${groups.join(', ')} and no others`,
          reason: statusReason,
        },
        {
          expression: unless(
            ['namespaces'],
            `[object == null ? oldObject : object].all(one, ${anyIn('one.metadata.?annotations.orValue({})', [...identities, ...services])} || ${isRoot('one.metadata.?labels.orValue({})')})`,
          ),
          message: 'the provider role makes and removes namespaces of consumers, which say so, and no others',
          reason: statusReason,
        },
        {
          expression: unless(
            ['namespaces'],
            `object == null || !(${anyIn('object.metadata.?annotations.orValue({})', [sharedNamespaceAnnotation, allowDeletionAnnotation])} || object.metadata.name == 'default' || (object.metadata.name.startsWith('kube-') && !object.metadata.name.startsWith('kube-bind-')))`,
          ),
          message: 'the provider role opens no namespace to consumers, and makes none of Kubernetes',
          reason: statusReason,
        },
        {
          expression: unless(
            ['resourcequotas', 'limitranges'],
            "((variables.isConsumers || variables.isService) && variables.name == 'hawser')",
          ),
          message: 'the provider role limits consumers, in their namespaces',
          reason: statusReason,
        },
        {
          expression: unless(['configmaps'], "variables.name == 'hawser-left-behind'"),
          message: 'of ConfigMaps the provider role writes records of what it leaves behind',
          reason: statusReason,
        },
        {
          expression: unless(
            ['deployments'],
            `(variables.isConsumers && (object == null || (object.spec.template.spec.?serviceAccountName.orValue('') == '${klutchDialect.names.binder}' && !object.spec.template.spec.?hostNetwork.orValue(false) && !object.spec.template.spec.?hostPID.orValue(false) && !object.spec.template.spec.?hostIPC.orValue(false) && !object.spec.template.spec.?securityContext.?windowsOptions.?hostProcess.orValue(false) && object.spec.template.spec.?volumes.orValue([]).all(one, !has(one.hostPath)) && (object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([])).all(one, !one.?securityContext.?privileged.orValue(false) && one.?securityContext.?capabilities.?add.orValue([]).size() == 0 && one.?securityContext.?procMount.orValue('Default') == 'Default' && !one.?securityContext.?windowsOptions.?hostProcess.orValue(false)))))`,
          ),
          message: `the provider role runs konnectors in the root namespaces of AppClusterBindings, as ServiceAccount ${klutchDialect.names.binder}, and without access to nodes`,
          reason: statusReason,
        },
        {
          expression: `request.resource.group in ['', 'rbac.authorization.k8s.io', 'apiextensions.k8s.io'] && !request.resource.resource.startsWith('pods') || (request.resource.group == 'apps' && request.resource.resource == 'deployments')`,
          message: 'the provider role runs no code and changes nothing of the API server, whatever it was granted',
          reason: statusReason,
        },
      ],
    },
  };
}

export const providerPolicyBinding: AdmissionPolicyBinding = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: providerPolicyName },
  spec: { policyName: providerPolicyName, validationActions: ['Deny'] },
};

function listed(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}
