import type { KubeObject } from '@hawser/client';

interface Named {
  readonly name: string;
  readonly expression: string;
}

/** A ValidatingAdmissionPolicy that limits the writes of one user of ours. */
export interface OwnPolicy extends KubeObject {
  readonly spec: {
    readonly failurePolicy: 'Fail';
    readonly matchConstraints: {
      readonly resourceRules: readonly {
        readonly apiGroups: readonly string[];
        readonly apiVersions: readonly string[];
        readonly operations: readonly string[];
        readonly resources: readonly string[];
      }[];
    };
    readonly matchConditions: readonly Named[];
    readonly variables: readonly Named[];
    readonly validations: readonly {
      readonly expression: string;
      readonly message: string;
      readonly reason: 'Forbidden';
    }[];
  };
}

/** The ValidatingAdmissionPolicyBinding that puts a policy into force. */
export interface OwnPolicyBinding extends KubeObject {
  readonly spec: { readonly policyName: string; readonly validationActions: readonly ['Deny'] };
}

/** Resources that a policy covers, by API group. */
export interface Watched {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

/** Limits on the writes of a user of ours: every rule has to hold. */
export interface OwnPolicyRules {
  readonly name: string;
  /** The only user that the policy covers. */
  readonly user: string;
  readonly watched: readonly Watched[];
  readonly variables: readonly Named[];
  readonly rules: readonly { readonly expression: string; readonly message: string }[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The policy of a user of ours. Refuses the write if its evaluation fails. */
export function ownPolicy({ name, user, watched, variables, rules }: OwnPolicyRules): OwnPolicy {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: watched.map(({ groups, resources }) => ({
          apiGroups: groups,
          apiVersions: ['*'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources,
        })),
      },
      matchConditions: [{ name: 'this-user', expression: `request.userInfo.username == '${user}'` }],
      variables,
      validations: rules.map(({ expression, message }) => ({ expression, message, reason: 'Forbidden' })),
    },
  };
}

/** Puts {@link ownPolicy} of that name into force. */
export function ownPolicyBinding(name: string): OwnPolicyBinding {
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}

/** A list of words in CEL. */
export function celList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/** Makes rules about some resources hold for all others. */
export function celUnless(resources: readonly string[], expression: string): string {
  return `!(request.resource.resource in ${celList(resources)}) || (${expression})`;
}

/** Resources of Kubernetes that give rights or change the API server, for all our policies. */
export const powers: readonly Watched[] = [
  {
    groups: [
      'rbac.authorization.k8s.io',
      'admissionregistration.k8s.io',
      'apiregistration.k8s.io',
      'certificates.k8s.io',
    ],
    resources: ['*'],
  },
];

/** Types of Secrets for tokens that a cluster issues or accepts. */
export const tokenTypes = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'] as const;

/** Namespaces of Kubernetes itself. */
export const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'] as const;
