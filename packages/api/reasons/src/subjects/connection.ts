import type { ReasonSubject } from '../reason.js';
import { heldSchemas } from './kbind-held-schemas.js';

const asExpected = {
  reason: 'AsExpected',
  cause: 'it is as it should be',
  actor: 'nobody',
  remedy: 'nothing',
} as const;

const pending = {
  reason: 'Pending',
  cause: 'the provider does not answer, or has not been asked yet; the message says which',
  actor: 'provider',
  remedy: 'see that the address in the kubeconfig can be reached from here. Tried again every 10 seconds',
} as const;

const forbidden = {
  reason: 'Forbidden',
  event: 'Warning',
  cause: 'the kubeconfig lacks a right to read who the provider is, or what it offers',
  actor: 'provider',
  remedy: 'grant what the message names',
} as const;

const clusterIdentityChanged = {
  reason: 'ClusterIdentityChanged',
  event: 'Warning',
  cause:
    'the kubeconfig leads to another cluster than before, or the Connection was made in another one; nothing is written',
  actor: 'operator',
  remedy: 'put the right kubeconfig back, or take away the uid in the status that the message names',
} as const;

const secret = [
  {
    reason: 'SecretNotFound',
    event: 'Warning',
    cause: 'the Secret is missing, or has no kubeconfig under the key',
    actor: 'operator',
    remedy: 'create the Secret; it is used at once',
  },
  {
    reason: 'SecretNotReadable',
    event: 'Warning',
    cause: 'the konnector may not read the Secret',
    actor: 'operator',
    remedy: 'grant `list` and `watch` of Secrets in that namespace',
  },
  {
    reason: 'SecretNamespaceRefused',
    event: 'Warning',
    cause: 'the Secret is in a namespace from which no kubeconfigs are taken',
    actor: 'operator',
    remedy: 'make the Connection anew with a Secret in one of the namespaces that the message names',
  },
  {
    reason: 'KubeconfigRefused',
    event: 'Warning',
    cause:
      'the kubeconfig cannot be read, or would run a program, read a file or weaken the connection; the message says which',
    actor: 'operator',
    remedy: 'correct the Secret. What was connected before goes on until then',
  },
] as const;

/** Connections of `core.kbind.io`. */
export const connectionSubject: ReasonSubject = {
  kind: 'Connection',
  title: 'Connection (core.kbind.io)',
  intro: 'Written by the konnector. An Event tells when `Ready` becomes False for one of these reasons.',
  groups: [
    {
      condition: 'SecretValid',
      meaning: 'The Secret holds a kubeconfig that may be used.',
      reasons: [asExpected, ...secret],
    },
    {
      condition: 'Connected',
      meaning: 'The provider answers, and both clusters are those that were pinned first.',
      reasons: [asExpected, pending, clusterIdentityChanged, ...secret],
    },
    {
      condition: 'PermissionDenied',
      meaning: 'True where the kubeconfig lacks rights.',
      reasons: [asExpected, forbidden],
    },
    {
      condition: 'Ready',
      meaning: 'Everything above, and what the provider offers is known.',
      reasons: [
        asExpected,
        ...secret,
        pending,
        clusterIdentityChanged,
        forbidden,
        {
          reason: 'DrainingBindings',
          cause: 'the Connection is being deleted, and ClusterBindings or Bindings name it',
          actor: 'operator',
          remedy: 'delete them',
        },
        {
          reason: 'Malformed',
          event: 'Warning',
          cause: 'the object is not of the types that the contract says, as under an older CRD',
          actor: 'operator',
          remedy: 'install the CRDs of the chart, and correct the object',
        },
      ],
    },
    {
      condition: 'AutoBound',
      meaning:
        'The ClusterBinding of `spec.autoBind` names all that is offered. It only grows; a Connection that never had `autoBind` does not get this.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignClusterBinding',
          cause: "a person made the ClusterBinding of the Connection's name; it is left as it is",
          actor: 'operator',
          remedy: 'delete or rename it, or switch `autoBind` off',
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
          remedy: 'delete that ClusterBinding if it is not wanted: its CRDs, objects and copies go with it',
        },
      ],
    },
    {
      condition: 'APIsInstalled',
      meaning:
        'With `spec.schema.pullPolicy: All`: the CRD of everything that is offered is installed. For APIs that a binding names, the binding tells. The message names CRDs that are not wanted any more; they stay, with their objects.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignCustomResourceDefinition',
          cause: 'a CRD is there, and belongs to somebody else or to another Connection',
          actor: 'operator',
          remedy: 'delete the CRD, or unbind it there',
        },
        {
          reason: 'CustomResourceDefinitionTerminating',
          cause: 'a CRD is being deleted',
          actor: 'nobody',
          remedy: 'it is made anew when it is gone',
        },
        {
          reason: 'CustomResourceDefinitionNotEstablished',
          cause: 'the API server does not serve a CRD, such as for names that are taken',
          actor: 'operator',
          remedy: 'see the conditions of the CRD',
        },
        {
          reason: 'SwitchedOff',
          cause: 'the pull policy was `All` before; the CRDs that it installed stay',
          actor: 'operator',
          remedy: 'delete the CRDs that the message names if they are not wanted: their objects go with them',
        },
        {
          reason: 'NoServedVersion',
          cause: 'no version of an API is served that has a schema',
          actor: 'provider',
          remedy: 'serve one',
        },
        ...heldSchemas,
      ],
    },
  ],
};
