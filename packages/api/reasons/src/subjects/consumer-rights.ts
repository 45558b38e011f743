import type { Reason } from '../reason.js';

/** Of the condition `RightsGranted` of an APIServiceExport, and of the request for it. */
export const rightsGranted = [
  {
    reason: 'SharedClusterScopeRequired',
    cause:
      'the only right that lets konnectors list the resource covers the whole cluster, so they would see the objects of all consumers',
    actor: 'provider',
    remedy:
      'run a gateway (docs/how-to/run-a-gateway.md), offer a namespaced resource under isolation `Prefixed`, or accept it with `--shared-cluster-scope`',
  },
  {
    reason: 'AdmissionPolicyMissing',
    cause: 'nothing prevents the consumer from writing cluster-scoped objects under the names of other consumers',
    actor: 'provider',
    remedy: 'install the admission policy `hawser-consumers` of the chart',
  },
  {
    reason: 'PrefixNotUnique',
    cause: "the names of this consumer's cluster-scoped objects begin like those of another consumer",
    actor: 'provider',
    remedy: 'onboard one of the two consumers under another name',
  },
  {
    reason: 'ConsumerRoleMissing',
    cause: 'the ClusterRole for this consumer does not exist',
    actor: 'provider',
    remedy:
      'list the resource under `exportedResources` of the chart, or run `hawser rbac --roles provider | kubectl apply -f -`',
  },
  {
    reason: 'ConsumerRoleDiffers',
    cause: 'the ClusterRole for this consumer grants more or less than needed',
    actor: 'provider',
    remedy:
      'correct the ClusterRole, or run `hawser rbac --roles provider | kubectl apply -f -`. Consumers that already have it keep it',
  },
  {
    reason: 'NamespaceNotOpen',
    cause: 'a namespace of the consumer was not made for a consumer',
    actor: 'provider',
    remedy:
      'open the namespace with the annotation `hawser.dev/shared-namespace: "true"`; or the consumer uses another one',
  },
  {
    reason: 'ClaimedObjectsShared',
    cause:
      'behind a gateway: the export claims objects. Another consumer has or had the same namespace, or an operator has opened it. Nothing shows who owns a claimed object there, so the gateway serves claimed objects only in namespaces that one consumer has alone',
    actor: 'consumer',
    remedy:
      'use a namespace with a name that no other consumer has; or the provider offers the API under isolation `Prefixed`',
  },
  {
    reason: 'WithdrawnByOperator',
    cause:
      'the annotation `hawser.dev/withdrawn-exports` or `hawser.dev/withdrawn` of the cluster namespace withdraws the export. Objects stay',
    actor: 'provider',
    remedy: 'remove the export from the annotation, to give it back to the consumer',
  },
  {
    reason: 'RightsRefused',
    cause: 'the API server refused a change of rights; the message quotes it. The provider role retries',
    actor: 'provider',
    remedy: 'grant the right, or remove the cause',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

/** Of the condition `ObjectsShared` of an APIServiceExport. */
export const objectsShared = [
  {
    reason: 'NamesShared',
    cause:
      "isolation `None`: consumers see each other's objects where names or namespaces are equal. They take each other's names, and share claimed objects in such namespaces",
    actor: 'nobody',
    remedy: 'do nothing, if you want that; otherwise the provider exports under isolation `Prefixed`',
  },
  {
    reason: 'ObjectsVisible',
    cause:
      "konnectors list and watch in the whole cluster (`--shared-cluster-scope`): consumers see each other's objects, but change only their own",
    actor: 'nobody',
    remedy:
      'do nothing, if you want that; otherwise the provider offers a namespaced resource under isolation `Prefixed`',
  },
] as const satisfies readonly Reason[];

/** On ClusterRoles and ClusterRoleBindings. */
export const backendRights = [
  {
    reason: 'BackendRightsRemoved',
    cause:
      'Hawser has removed rights that another backend had granted to all consumers together. Each consumer has its own rights',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
  {
    reason: 'BackendRightsKept',
    cause: 'the object has a name or label of such a grant, but the other backend did not make it. Hawser keeps it',
    actor: 'provider',
    remedy: 'find out which rights it grants to whom, and remove it',
    event: 'Warning',
  },
  {
    reason: 'BackendStillRunning',
    cause: 'Hawser removed the grant, and it came back',
    actor: 'provider',
    remedy: 'stop the other backend',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];
