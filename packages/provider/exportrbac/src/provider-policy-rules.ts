import { klutchDialect } from '@hawser/klutch';
import { type AdmissionPolicy, allowDeletionAnnotation, statusReason } from './admission-policy.js';
import { sharedNamespaceAnnotation } from './marks.js';
import { anyIn, isRoot, listed, type PolicyWords, unless } from './policy-words.js';

type AdmissionRule = NonNullable<NonNullable<AdmissionPolicy['spec']>['validations']>[number];

const legacyToken = 'kubernetes.io/service-account-token';
/** ClusterRoles of an AppClusterBinding's konnector: in its root namespace, and in the cluster. */
const konnectorRoles = { root: 'control-plane-connector', cluster: 'klutch-konnector' } as const;

/** Rules for Secrets, tokens and ServiceAccounts: only those of consumers. */
export function credentialRules({ answersHere, binders, tokenNames }: PolicyWords): readonly AdmissionRule[] {
  return [
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
  ];
}

/** Rules for bindings and roles: who gets which right, and where. */
export function rightsRules({ binders }: PolicyWords): readonly AdmissionRule[] {
  return [
    {
      expression: unless(
        ['rolebindings', 'clusterrolebindings'],
        `object == null ? ${listed([...binders, ...Object.values(konnectorRoles)])}.exists(one, oldObject.metadata.name.startsWith(one)) : variables.subject.name in ${listed(binders)}`,
      ),
      message: `the provider role gives rights to the ServiceAccounts of consumers (${binders.join(', ')}), one at a time, and takes them from no others`,
      reason: statusReason,
    },
    {
      // The name of a binding identifies its consumer and its right.
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
          "(['objects', 'changes', 'watch', 'any-name'].exists(one, variables.role.startsWith(variables.subject.name + ':' + one + ':')) && variables.name == variables.subject.name + ':' + variables.subject.namespace + variables.role.substring(variables.subject.name.size()))",
          `(variables.role == '${konnectorRoles.cluster}' && variables.name.startsWith('${konnectorRoles.cluster}-'))`,
        ].join(' || '),
      ),
      message: 'in the whole cluster the provider role gives rights to exported resources, and none to what is claimed',
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
  ];
}

/** Rules for CRDs and namespaces: those of the dialects and of consumers. */
export function ownRules({ groups, identities, services }: PolicyWords): readonly AdmissionRule[] {
  return [
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
  ];
}

/** Rules for the few other objects that it writes. */
export const otherRules: readonly AdmissionRule[] = [
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
];

/** Rules for objects that run code: only a konnector without access to the node. */
export const codeRules: readonly AdmissionRule[] = [
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
];
