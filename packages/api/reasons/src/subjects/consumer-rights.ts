import type { Reason } from '../reason.js';

/** Of the condition `RightsGranted` of an APIServiceExport, and of the request for it. */
export const rightsGranted = [
  {
    reason: 'SharedClusterScopeRequired',
    cause: 'konnectors can list the resource in the whole cluster only, and would see the objects of all consumers',
    actor: 'provider',
    remedy:
      'run a gateway (docs/how-to/run-a-gateway.md), offer a namespaced resource under isolation `Prefixed`, or accept it with `--shared-cluster-scope`',
  },
  {
    reason: 'AdmissionPolicyMissing',
    cause: 'nothing would keep the consumer from writing cluster-scoped objects with names of others',
    actor: 'provider',
    remedy: 'install the admission policy `hawser-consumers` as the chart has it',
  },
  {
    reason: 'PrefixNotUnique',
    cause: "names of this consumer's cluster-scoped objects begin as those of another consumer do",
    actor: 'provider',
    remedy: 'onboard one of the two under another name',
  },
  {
    reason: 'ConsumerRoleMissing',
    cause: 'the ClusterRole that is to be bound does not exist',
    actor: 'provider',
    remedy:
      'list the resource under `exportedResources` of the chart, or `hawser rbac --roles provider | kubectl apply -f -`',
  },
  {
    reason: 'ConsumerRoleDiffers',
    cause: 'the ClusterRole that is to be bound gives more or less than is needed',
    actor: 'provider',
    remedy: 'put it right, or `hawser rbac --roles provider | kubectl apply -f -`; who has it already keeps it',
  },
  {
    reason: 'NamespaceNotOpen',
    cause: 'a namespace of the consumer was not made for a consumer',
    actor: 'provider',
    remedy: 'open it with the annotation `hawser.dev/shared-namespace: "true"`, or the consumer uses another one',
  },
  {
    reason: 'ClaimedObjectsShared',
    cause:
      'behind a gateway: the export claims objects, and another consumer has the same namespace, or had it before, or an operator has opened it; nothing tells whose a claimed object is, so there they are served to nobody who has not the namespace alone',
    actor: 'consumer',
    remedy: 'use a namespace of a name that nobody else has; or the provider offers the API under isolation Prefixed',
  },
  {
    reason: 'WithdrawnByOperator',
    cause:
      'annotation `hawser.dev/withdrawn-exports`, or `hawser.dev/withdrawn`, of the cluster namespace withdraws the export; objects stay',
    actor: 'provider',
    remedy: 'take the export out of the annotation, if the consumer is to have it again',
  },
  {
    reason: 'RightsRefused',
    cause: 'the API server refused a request that was to change rights, in its words; tried again',
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
      "isolation `None`: consumers see each other's objects where their names or namespaces are equal, take each other's names, and share what is claimed in such namespaces",
    actor: 'nobody',
    remedy: 'nothing, if it is meant; else the provider exports under isolation `Prefixed`',
  },
  {
    reason: 'ObjectsVisible',
    cause:
      "konnectors list and watch in the whole cluster (`--shared-cluster-scope`): consumers see each other's objects, and change their own alone",
    actor: 'nobody',
    remedy: 'nothing, if it is meant; else the provider offers a namespaced resource under isolation `Prefixed`',
  },
] as const satisfies readonly Reason[];

/** On ClusterRoles and ClusterRoleBindings. */
export const backendRights = [
  {
    reason: 'BackendRightsRemoved',
    cause: 'what another backend had granted to all consumers together is removed: each has its own rights',
    actor: 'nobody',
    remedy: 'nothing',
    event: 'Normal',
  },
  {
    reason: 'BackendRightsKept',
    cause: 'it has a name or a label of such a grant, and the other backend did not make it: it stays',
    actor: 'provider',
    remedy: 'find out whom it gives what, and remove it',
    event: 'Warning',
  },
  {
    reason: 'BackendStillRunning',
    cause: 'it was removed, and is back',
    actor: 'provider',
    remedy: 'stop the other backend',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];
