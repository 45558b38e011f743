import { conditionReasons } from '@hawser/kube-bind';

/** Why a request is not answered. Closed. None is final: the request and everything else can change. */
export type RequestProblem =
  | { readonly kind: 'namespaceNotAllowed'; readonly namespace: string }
  | { readonly kind: 'consumersNamespace'; readonly namespace: string }
  | { readonly kind: 'identityMissing' }
  | { readonly kind: 'identityTooLong'; readonly length: number; readonly longest: number }
  | { readonly kind: 'invalidTTL'; readonly value: string }
  | { readonly kind: 'secretNameInvalid'; readonly name: string; readonly key: string }
  | { readonly kind: 'templateNotFound'; readonly name: string }
  | { readonly kind: 'namespaceNameInvalid'; readonly name: string }
  | { readonly kind: 'namespaceConflict'; readonly name: string; readonly isOthers: boolean }
  | { readonly kind: 'namespaceTerminating'; readonly name: string }
  | { readonly kind: 'identityAmbiguous'; readonly names: readonly string[] }
  | { readonly kind: 'identityTaken'; readonly name: string; readonly namespace: string }
  | { readonly kind: 'credentialRevoked'; readonly name: string }
  | { readonly kind: 'notReady'; readonly name: string; readonly missing: string }
  | { readonly kind: 'secretConflict'; readonly name: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Reasons that the Go backend does not have. */
export const ownReasons = {
  namespaceNotAllowed: 'RequestNamespaceNotAllowed',
  identityMissing: 'IdentityMissing',
  identityTooLong: 'IdentityTooLong',
  invalidTTL: 'InvalidTTL',
  secretNameInvalid: 'SecretNameInvalid',
  namespaceNameInvalid: 'NamespaceNameInvalid',
  namespaceConflict: 'NamespaceConflict',
  namespaceTerminating: 'NamespaceTerminating',
  identityAmbiguous: 'IdentityAmbiguous',
  identityTaken: 'IdentityTaken',
  credentialRevoked: 'CredentialRevoked',
  secretConflict: 'SecretConflict',
  writeRefused: 'WriteRefused',
} as const;

export interface ProblemReport {
  readonly reason: string;
  readonly message: string;
}

type Reports = {
  readonly [Kind in RequestProblem['kind']]: (
    problem: Extract<RequestProblem, { readonly kind: Kind }>,
  ) => ProblemReport;
};

const reports: Reports = {
  namespaceNotAllowed: (problem) => ({
    reason: ownReasons.namespaceNotAllowed,
    message: `Requests in namespace "${problem.namespace}" are not answered. Make it in a namespace that the provider has opened for requests.`,
  }),
  consumersNamespace: (problem) => ({
    reason: ownReasons.namespaceNotAllowed,
    message: `Namespace "${problem.namespace}" is a consumer's, who could read the answer. Make the request in another namespace.`,
  }),
  identityMissing: () => ({
    reason: ownReasons.identityMissing,
    message:
      'The request does not say which consumer it is for. Set spec.clusterIdentity.identity to something that no other consumer has, such as the uid of its namespace kube-system.',
  }),
  identityTooLong: (problem) => ({
    reason: ownReasons.identityTooLong,
    message: `The identity has ${problem.length} characters; it can have ${problem.longest}. Set spec.clusterIdentity.identity to something shorter.`,
  }),
  invalidTTL: (problem) => ({
    reason: ownReasons.invalidTTL,
    message: `spec.ttlAfterFinished is "${problem.value.slice(0, 64)}", which is not a duration such as 1h30m. Correct or remove it.`,
  }),
  secretNameInvalid: (problem) => ({
    reason: ownReasons.secretNameInvalid,
    message: `No Secret can have the name "${problem.name}" and the key "${problem.key.slice(0, 253)}". Set spec.kubeconfigSecretRef to a name of at most 253 lower-case letters, digits, dashes and dots, and a key of letters, digits, dashes, dots and underscores.`,
  }),
  templateNotFound: (problem) => ({
    reason: conditionReasons.templateNotFound,
    message: `APIServiceExportTemplate "${problem.name}" does not exist. The provider has to make it, or the request to name another; it is answered as soon as there is one.`,
  }),
  namespaceNameInvalid: (problem) => ({
    reason: ownReasons.namespaceNameInvalid,
    message: `The consumer's namespace would be named "${problem.name}", which no namespace can be. The provider has to set a namespace prefix of at most 49 lower-case letters, digits and dashes.`,
  }),
  namespaceConflict: (problem) =>
    problem.isOthers
      ? {
          reason: ownReasons.namespaceConflict,
          message: `Namespace "${problem.name}" belongs to a consumer with another identity. Set spec.clusterIdentity.identity to something else.`,
        }
      : {
          reason: ownReasons.namespaceConflict,
          message: `Namespace "${problem.name}" exists and is not a consumer's; it is not taken over. The provider has to remove it.`,
        },
  namespaceTerminating: (problem) => ({
    reason: ownReasons.namespaceTerminating,
    message: `Namespace "${problem.name}" is being deleted, with all that is in it. It is made again once it is gone; if it does not go, the provider has to see which finalizers hold it.`,
  }),
  identityAmbiguous: (problem) => ({
    reason: ownReasons.identityAmbiguous,
    message: `Namespaces ${problem.names.map((name) => `"${name}"`).join(', ')} all say that they are this consumer's. The provider has to take the annotation backend.kube-bind.io/identity off all but one.`,
  }),
  identityTaken: (problem) => ({
    reason: ownReasons.identityTaken,
    message: `Namespace "${problem.name}" is that of a consumer that was not asked for from here, and its kubeconfig is not given out. If that is meant, the provider has to add "${problem.namespace}" to the annotation hawser.dev/onboarding-namespaces of that namespace; otherwise set spec.clusterIdentity.identity to something else.`,
  }),
  credentialRevoked: (problem) => ({
    reason: ownReasons.credentialRevoked,
    message: `The provider has revoked the access of this consumer. To give it again, the provider has to remove the annotation hawser.dev/revoke-credential from Namespace "${problem.name}" and from ClusterBinding "${problem.name}/cluster".`,
  }),
  notReady: (problem) => ({
    reason: conditionReasons.handleResourcesFailed,
    message: `There is no ${problem.missing} in namespace "${problem.name}" yet. If that lasts, the Events of ClusterBinding "${problem.name}/cluster" tell the provider why.`,
  }),
  secretConflict: (problem) => ({
    reason: ownReasons.secretConflict,
    message: `Secret "${problem.name}" exists and was not made for this request; it is not overwritten. Remove it, or set spec.kubeconfigSecretRef to another name.`,
  }),
  refused: (problem) => ({
    reason: ownReasons.writeRefused,
    message: `The provider's API server refused a request (${problem.message}). The provider has to remove the cause; it is tried again.`,
  }),
};

/** The condition `Ready` for a problem: what is wrong, who must act, and what to do. */
export function reportProblem(problem: RequestProblem): ProblemReport {
  return (reports[problem.kind] as (one: RequestProblem) => ProblemReport)(problem);
}
