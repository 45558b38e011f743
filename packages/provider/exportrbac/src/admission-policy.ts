import type { KubeObject, Resource } from '@hawser/client';
import { claimableResources, type Dialect, kubeBindDialect } from '@hawser/kube-bind';
import { anyNameVerb } from './right.js';

const apiVersion = 'admissionregistration.k8s.io/v1';
const registration = (resource: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource,
});

/** The API server's answer to a refused request (metav1.StatusReason). */
export const statusReason = 'Forbidden';

export const policyResources = {
  policies: registration('validatingadmissionpolicies'),
  bindings: registration('validatingadmissionpolicybindings'),
} as const;

/** Name of the policy, and of its binding, for consumers that speak the dialect. */
export function consumerPolicyName({ name }: Dialect): string {
  return name === 'kube-bind' ? 'hawser-consumers' : `hawser-${name}-consumers`;
}

interface Validation {
  readonly expression: string;
  readonly message?: string | undefined;
  readonly messageExpression?: string | undefined;
  readonly reason?: string | undefined;
}

interface Named {
  readonly name: string;
  readonly expression: string;
}

interface ResourceRule {
  readonly apiGroups?: readonly string[] | undefined;
  readonly apiVersions?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly scope?: string | undefined;
}

/** The fields of a ValidatingAdmissionPolicy that matter here. */
export interface AdmissionPolicy extends KubeObject {
  readonly spec?:
    | {
        readonly failurePolicy?: string | undefined;
        readonly paramKind?: unknown;
        readonly matchConstraints?:
          | {
              readonly resourceRules?: readonly ResourceRule[] | undefined;
              readonly excludeResourceRules?: readonly ResourceRule[] | undefined;
              readonly namespaceSelector?: Readonly<Record<string, unknown>> | undefined;
              readonly objectSelector?: Readonly<Record<string, unknown>> | undefined;
            }
          | undefined;
        readonly matchConditions?: readonly Named[] | undefined;
        readonly variables?: readonly Named[] | undefined;
        readonly validations?: readonly Validation[] | undefined;
      }
    | undefined;
}

/** The fields of a ValidatingAdmissionPolicyBinding that matter here. */
export interface AdmissionPolicyBinding extends KubeObject {
  readonly spec?:
    | {
        readonly policyName?: string | undefined;
        readonly validationActions?: readonly string[] | undefined;
        readonly paramRef?: unknown;
        readonly matchResources?: unknown;
      }
    | undefined;
}

const serviceAccount = "request.userInfo.username.startsWith('system:serviceaccount:')";
const claimable = claimableResources.map((resource) => `'${resource}'`).join(', ');

/**
 * Restricts consumers where RBAC cannot: ServiceAccounts named `kube-binder` or `klutch-binder`. Static, without
 * parameters, one for all consumers of a dialect. It grants nothing: an admitted request still needs a right.
 */
export function consumerPolicy(dialect: Dialect): AdmissionPolicy {
  const { binder } = dialect.names;
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: consumerPolicyName(dialect) },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: ['*'] },
        ],
      },
      matchConditions: [
        { name: 'consumers', expression: `${serviceAccount} && request.userInfo.username.endsWith(':${binder}')` },
        // Reviews are queries, and have no names.
        {
          name: 'not-reviews',
          expression: "!(request.resource.group in ['authorization.k8s.io', 'authentication.k8s.io'])",
        },
      ],
      variables: [
        { name: 'consumer', expression: "request.userInfo.username.split(':')[2]" },
        // Empty for cluster-scoped objects.
        { name: 'within', expression: "has(request.namespace) ? request.namespace : ''" },
        {
          name: 'name',
          expression:
            "object != null && has(object.metadata.name) ? object.metadata.name : (oldObject != null ? oldObject.metadata.name : '')",
        },
      ],
      validations: [...ownershipRules(dialect), ...resourceRules(dialect)],
    },
  };
}

/** Separates consumers by object names and owner marks. */
function ownershipRules({ annotations: { clusterNamespace } }: Dialect): readonly Validation[] {
  return [
    {
      expression: `variables.within != '' || variables.name.startsWith(variables.consumer + '-') || authorizer.group(request.resource.group).resource(request.resource.resource).check('${anyNameVerb}').allowed()`,
      messageExpression:
        "'cluster-scoped objects of this consumer have names that begin with \"' + variables.consumer + '-\"'",
      reason: statusReason,
    },
    {
      expression: `object == null || !has(object.metadata.annotations) || !('${clusterNamespace}' in object.metadata.annotations) || object.metadata.annotations['${clusterNamespace}'] == variables.consumer || (oldObject != null && has(oldObject.metadata.annotations) && '${clusterNamespace}' in oldObject.metadata.annotations && oldObject.metadata.annotations['${clusterNamespace}'] == object.metadata.annotations['${clusterNamespace}'])`,
      messageExpression: `'the annotation ${clusterNamespace} of an object of this consumer can only be "' + variables.consumer + '"'`,
      reason: statusReason,
    },
    {
      // Where names are shared, the mark identifies the owner. Claimed objects have none.
      expression: `request.resource.group == '' || oldObject == null || !has(oldObject.metadata.annotations) || !('${clusterNamespace}' in oldObject.metadata.annotations) || oldObject.metadata.annotations['${clusterNamespace}'] == variables.consumer`,
      messageExpression: `'the object is of the consumer "' + oldObject.metadata.annotations['${clusterNamespace}'] + '", as its annotation ${clusterNamespace} says, and nobody else changes or deletes it'`,
      reason: statusReason,
    },
  ];
}

/** Restricts which resources a consumer writes. */
function resourceRules({ apiGroup }: Dialect): readonly Validation[] {
  return [
    {
      expression:
        "request.resource.group != '' || request.resource.resource != 'secrets' || object == null || !has(object.type) || !(object.type in ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'])",
      message: 'a consumer makes no Secret for which Kubernetes issues a token',
      reason: statusReason,
    },
    {
      expression: `request.resource.group != '' || request.resource.resource in [${claimable}]`,
      message: `of Kubernetes' own resources a consumer writes ${claimableResources.join(', ')} and no others, whatever it was granted`,
      reason: statusReason,
    },
    {
      expression: `!(request.resource.group in ['rbac.authorization.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'certificates.k8s.io'])`,
      message:
        'a consumer writes no roles, bindings, CRDs, APIServices or certificate requests, whatever it was granted',
      reason: statusReason,
    },
    {
      expression: `request.resource.group != '${apiGroup}' || variables.within == variables.consumer`,
      message: `a consumer writes objects of ${apiGroup} in its own cluster namespace and nowhere else, whatever it was granted`,
      reason: statusReason,
    },
  ];
}

export function consumerPolicyBinding(dialect: Dialect): AdmissionPolicyBinding {
  const name = consumerPolicyName(dialect);
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}

/** Name of the policy, and of its binding, for namespaces of consumers. */
export const namespacePolicyName = 'hawser-namespaces';

/** Set to `true` by an operator: permits deletion of a consumer's namespace, its contents and all it owns. */
export const allowDeletionAnnotation = 'hawser.dev/allow-deletion';

/**
 * Protects consumers' namespaces from deletion. Deleting a service namespace deletes a consumer's objects; deleting a
 * cluster namespace deletes the cluster-scoped objects it owns. The policy prevents this by mistake, and always for a
 * consumer.
 * @param provider user of the provider role; it deletes only what is proven empty.
 * @param dialects dialects of the consumers.
 */
export function namespacePolicy(provider: string, dialects: readonly Dialect[] = [kubeBindDialect]): AdmissionPolicy {
  const isMarked = (key: string): string => `'${key}' in oldObject.metadata.annotations`;
  const marks = `has(oldObject.metadata.annotations) && (${dialects
    .flatMap(({ identityAnnotations, annotations }) => [...identityAnnotations, annotations.apiServiceNamespace])
    .map(isMarked)
    .join(' || ')})`;
  const roots = dialects.flatMap(({ rootLabels }) =>
    rootLabels.length === 0
      ? []
      : [
          `(has(oldObject.metadata.labels) && ${rootLabels.map((key) => `'${key}' in oldObject.metadata.labels`).join(' && ')})`,
        ],
  );
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: namespacePolicyName },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['DELETE'], resources: ['namespaces'] }],
      },
      matchConditions: [
        { name: 'of-consumers', expression: [`(${marks})`, ...roots].join(' || ') },
        { name: 'not-the-provider', expression: `request.userInfo.username != '${provider}'` },
      ],
      validations: [
        {
          expression: `has(oldObject.metadata.annotations) && ${isMarked(allowDeletionAnnotation)} && oldObject.metadata.annotations['${allowDeletionAnnotation}'] == 'true' && ${dialects.map(({ names }) => `!request.userInfo.username.endsWith(':${names.binder}')`).join(' && ')}`,
          message: `the namespace belongs to a consumer, and its objects would be deleted with it; if that is meant, give it the annotation ${allowDeletionAnnotation}=true first`,
          reason: statusReason,
        },
      ],
    },
  };
}

export const namespacePolicyBinding: AdmissionPolicyBinding = {
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: namespacePolicyName },
  spec: { policyName: namespacePolicyName, validationActions: ['Deny'] },
};

/** Whether the API server enforces at least everything in {@link consumerPolicy}. */
export type PolicyState = { readonly kind: 'enforced' } | { readonly kind: 'absent'; readonly what: string };

export function policyState(
  dialect: Dialect,
  policy: AdmissionPolicy | undefined,
  binding: AdmissionPolicyBinding | undefined,
): PolicyState {
  const absent = (what: string): PolicyState => ({ kind: 'absent', what });
  const name = consumerPolicyName(dialect);
  if (policy?.spec === undefined) return absent(`ValidatingAdmissionPolicy "${name}" does not exist`);
  const { spec } = policy;
  const wanted = consumerPolicy(dialect).spec;
  if (spec.failurePolicy !== 'Fail') return absent('its failurePolicy is not Fail');
  if (spec.paramKind !== undefined) return absent('it has parameters');
  if (!catchesAll(spec.matchConstraints)) return absent('it does not look at all requests that write');
  if (!sameNamed(spec.matchConditions, wanted?.matchConditions)) return absent('it does not look at all consumers');
  if (!sameNamed(spec.variables, wanted?.variables)) return absent('its variables are others');
  const there = new Set(spec.validations?.map(({ expression }) => expression));
  if (wanted?.validations?.every(({ expression }) => there.has(expression)) !== true)
    return absent('some of its validations are missing');
  if (binding?.spec?.policyName !== name) return absent(`ValidatingAdmissionPolicyBinding "${name}" does not exist`);
  if (binding.spec.validationActions?.includes('Deny') !== true) return absent('its binding does not deny');
  if (binding.spec.matchResources !== undefined || binding.spec.paramRef !== undefined)
    return absent('its binding leaves something out');
  return { kind: 'enforced' };
}

type MatchConstraints = NonNullable<AdmissionPolicy['spec']>['matchConstraints'];

function catchesAll(match: MatchConstraints): boolean {
  const isEmpty = (value: object | undefined): boolean => value === undefined || Object.keys(value).length === 0;
  if (
    (match?.excludeResourceRules ?? []).length > 0 ||
    !isEmpty(match?.namespaceSelector) ||
    !isEmpty(match?.objectSelector)
  )
    return false;
  return (match?.resourceRules ?? []).some(
    ({ apiGroups = [], apiVersions = [], operations = [], resources = [], resourceNames = [], scope = '*' }) =>
      apiGroups.includes('*') &&
      apiVersions.includes('*') &&
      (resources.includes('*') || resources.includes('*/*')) &&
      resourceNames.length === 0 &&
      scope === '*' &&
      (operations.includes('*') || ['CREATE', 'UPDATE', 'DELETE'].every((operation) => operations.includes(operation))),
  );
}

function sameNamed(found: readonly Named[] | undefined, wanted: readonly Named[] | undefined): boolean {
  const text = (list: readonly Named[] = []): string =>
    JSON.stringify(list.map(({ name, expression }) => [name, expression]).sort());
  return text(found) === text(wanted);
}
