import type { ReasonSubject } from '../reason.js';
import { heldSchemas } from './kbind-held-schemas.js';

const asExpected = {
  reason: 'AsExpected',
  cause: 'everything is as expected',
  actor: 'nobody',
  remedy: 'do nothing',
} as const;

const pending = {
  reason: 'Pending',
  cause: 'the provider does not answer, or the konnector has not asked it yet; the message says which',
  actor: 'provider',
  remedy: 'check that this cluster can reach the address in the kubeconfig. The konnector retries every 10 seconds',
} as const;

const forbidden = {
  reason: 'Forbidden',
  event: 'Warning',
  cause: 'the kubeconfig lacks a right to read the identity of the provider, or the APIs that it offers',
  actor: 'provider',
  remedy: 'grant the right that the message names',
} as const;

const clusterIdentityChanged = {
  reason: 'ClusterIdentityChanged',
  event: 'Warning',
  cause:
    'the kubeconfig leads to another cluster than before, or the Connection was made in another cluster. Hawser writes nothing',
  actor: 'operator',
  remedy: 'restore the right kubeconfig, or remove the uid from the status field that the message names',
} as const;

const secret = [
  {
    reason: 'SecretNotFound',
    event: 'Warning',
    cause: 'the Secret is missing, or has no kubeconfig under the key',
    actor: 'operator',
    remedy: 'create the Secret. The konnector uses it at once',
  },
  {
    reason: 'SecretNotReadable',
    event: 'Warning',
    cause: 'the konnector lacks the right to read the Secret',
    actor: 'operator',
    remedy: 'grant `list` and `watch` on Secrets in that namespace',
  },
  {
    reason: 'SecretNamespaceRefused',
    event: 'Warning',
    cause: 'the Secret is in a namespace that may not hold kubeconfigs',
    actor: 'operator',
    remedy: 'recreate the Connection with a Secret in one of the namespaces in the message',
  },
  {
    reason: 'KubeconfigRefused',
    event: 'Warning',
    cause:
      'the kubeconfig cannot be read, or it would run a program, read a file or weaken the connection; the message says which',
    actor: 'operator',
    remedy: 'correct the Secret. A running connection continues until then',
  },
] as const;

/** Connections of `core.kbind.io`. */
export const connectionSubject: ReasonSubject = {
  kind: 'Connection',
  title: 'Connection (core.kbind.io)',
  intro: 'The konnector writes it. When `Ready` becomes False for one of these reasons, it also writes an Event.',
  groups: [
    {
      condition: 'SecretValid',
      meaning: 'True while the Secret holds a kubeconfig that may be used.',
      reasons: [asExpected, ...secret],
    },
    {
      condition: 'Connected',
      meaning: 'True while the provider answers, and both clusters are those that were pinned first.',
      reasons: [asExpected, pending, clusterIdentityChanged, ...secret],
    },
    {
      condition: 'PermissionDenied',
      meaning: 'True while the kubeconfig lacks rights.',
      reasons: [asExpected, forbidden],
    },
    {
      condition: 'Ready',
      meaning: 'True while all conditions above are good, and the konnector knows which APIs the provider offers.',
      reasons: [
        asExpected,
        ...secret,
        pending,
        clusterIdentityChanged,
        forbidden,
        {
          reason: 'DrainingBindings',
          cause: 'the Connection is being deleted, but ClusterBindings or Bindings still name it',
          actor: 'operator',
          remedy:
            'delete the ClusterBindings and Bindings; to keep the copies of their objects, annotate them with `hawser.dev/unbind-policy=Orphan` first',
        },
        {
          reason: 'Malformed',
          event: 'Warning',
          cause: 'a field of the object has another type than the contract says, for example under an older CRD',
          actor: 'operator',
          remedy: 'install the CRDs of the chart, and correct the object',
        },
      ],
    },
    {
      condition: 'AutoBound',
      meaning:
        'True while the ClusterBinding of `spec.autoBind` names every offered API. It only grows. A Connection that never had `autoBind` does not get this condition.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignClusterBinding',
          cause: 'a person made the ClusterBinding with the name of the Connection. Hawser leaves it as it is',
          actor: 'operator',
          remedy: 'delete or rename the ClusterBinding, or turn `autoBind` off',
        },
        {
          reason: 'Pending',
          cause: 'the provider offers nothing yet, or the ClusterBinding is being deleted',
          actor: 'nobody',
          remedy: 'wait',
        },
        {
          reason: 'SwitchedOff',
          cause: '`autoBind` was on before; the ClusterBinding that it made stays',
          actor: 'operator',
          remedy: 'delete that ClusterBinding if you do not want it. Its CRDs, objects and copies are deleted with it',
        },
      ],
    },
    {
      condition: 'APIsInstalled',
      meaning:
        'Only with `spec.schema.pullPolicy: All`: True while the CRD of every offered API is installed. If a binding names an API, see the binding. The message names CRDs that are no longer wanted; they stay, with their objects.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignCustomResourceDefinition',
          cause: 'a CRD exists, and belongs to another owner or another Connection',
          actor: 'operator',
          remedy: 'delete the CRD, or unbind it at its owner',
        },
        {
          reason: 'CustomResourceDefinitionTerminating',
          cause: 'a CRD is being deleted',
          actor: 'nobody',
          remedy: 'wait: the konnector creates the CRD again when it is gone',
        },
        {
          reason: 'CustomResourceDefinitionNotEstablished',
          cause: 'the API server does not serve a CRD, for example because its names are taken',
          actor: 'operator',
          remedy: 'check the conditions of the CRD',
        },
        {
          reason: 'SwitchedOff',
          cause: 'the pull policy was `All` before; the CRDs that it installed stay',
          actor: 'operator',
          remedy: 'delete the CRDs in the message, if you do not want them. Their objects are deleted with them',
        },
        {
          reason: 'NoServedVersion',
          cause: 'no served version of an API has a schema',
          actor: 'provider',
          remedy: 'serve a version',
        },
        ...heldSchemas,
      ],
    },
  ],
};
