import type { KubeObject } from '@hawser/client';

interface Named {
  readonly name: string;
  readonly expression: string;
}

/** A ValidatingAdmissionPolicy that binds what one user of ours may write. */
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

/** Resources that a policy looks at, by API group. */
export interface Watched {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
}

/** What a user of ours may write, as rules that each have to hold. */
export interface OwnPolicyRules {
  readonly name: string;
  /** Who it binds: no other user is looked at. */
  readonly user: string;
  readonly watched: readonly Watched[];
  readonly variables: readonly Named[];
  readonly rules: readonly { readonly expression: string; readonly message: string }[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** The policy of a user of ours. Where it cannot be evaluated the write is refused. */
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

/** A list of words, as CEL has it. */
export function celList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/** Rules about some resources hold for all others. */
export function celUnless(resources: readonly string[], expression: string): string {
  return `!(request.resource.resource in ${celList(resources)}) || (${expression})`;
}

/** Resources of Kubernetes that give rights or change the API server, in any policy of ours. */
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

/** Types of Secrets for which a cluster issues a token, or takes one. */
export const tokenTypes = ['kubernetes.io/service-account-token', 'bootstrap.kubernetes.io/token'] as const;

/** Namespaces of Kubernetes itself. */
export const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease'] as const;
