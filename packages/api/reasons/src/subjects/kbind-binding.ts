import type { ReasonSubject } from '../reason.js';
import { heldSchemas } from './kbind-held-schemas.js';
import { kbindRelated } from './kbind-related.js';

const asExpected = {
  reason: 'AsExpected',
  cause: 'it is as it should be',
  actor: 'nobody',
  remedy: 'nothing',
} as const;

const forbidden = {
  reason: 'Forbidden',
  event: 'Warning',
  cause: 'objects of the API cannot be listed or watched on one of the two sides',
  actor: 'provider',
  remedy: 'grant what the message names',
} as const;

/** ClusterBindings and Bindings of `core.kbind.io`. */
export const kbindBindingSubject: ReasonSubject = {
  kind: 'Binding',
  title: 'ClusterBinding and Binding (core.kbind.io)',
  intro:
    'Written by the konnector. Each API stands for itself: one that waits holds up no other. An Event tells when `Ready` becomes False for one of these reasons.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'Every API is served. The message names each that is not.',
      reasons: [
        asExpected,
        {
          reason: 'Pending',
          cause: 'there is no Connection of that name, or it does not work',
          actor: 'operator',
          remedy: 'see the conditions of the Connection',
        },
        {
          reason: 'NamespaceRefused',
          event: 'Warning',
          cause: 'the Connection lists namespaces whose Bindings may use it, and this one is not among them',
          actor: 'operator',
          remedy: 'add the namespace to the annotation `hawser.dev/allowed-namespaces` of the Connection',
        },
        {
          reason: 'APINotExported',
          event: 'Warning',
          cause: 'the provider does not offer the API',
          actor: 'provider',
          remedy: 'label the CRD with `core.kbind.io/exported=true`',
        },
        {
          reason: 'OverlappingBinding',
          event: 'Warning',
          cause:
            'another binding, which comes first, lists the API and may select some of the same objects. This one gets no further objects; those that it has stay in step',
          actor: 'operator',
          remedy:
            'give both the annotation `hawser.dev/object-selector` with selectors that never meet, delete one of the two, or take the API out of one',
        },
        {
          reason: 'InvalidSelector',
          event: 'Warning',
          cause:
            'the annotation `hawser.dev/object-selector` is no label selector. It selects nothing; objects that are synced already stay in step',
          actor: 'operator',
          remedy: 'correct the annotation, or take it away to select all objects',
        },
        {
          reason: 'ClusterScopedAPI',
          event: 'Warning',
          cause: 'a Binding lists an API that has no namespaces',
          actor: 'operator',
          remedy: 'use a ClusterBinding',
        },
        {
          reason: 'NoServedVersion',
          event: 'Warning',
          cause: 'no version of the API is served that has a schema',
          actor: 'provider',
          remedy: 'serve one',
        },
        {
          reason: 'NotInstalled',
          event: 'Warning',
          cause: "the Connection's pull policy is `None`, and the CRD is not there",
          actor: 'operator',
          remedy: 'install the CRD',
        },
        {
          reason: 'ForeignCustomResourceDefinition',
          event: 'Warning',
          cause:
            'the CRD is there, and no konnector installed it, or another Connection offers another kind or scope by that name',
          actor: 'operator',
          remedy: 'delete the CRD, or unbind it there',
        },
        {
          reason: 'CustomResourceDefinitionTerminating',
          event: 'Warning',
          cause: 'the CRD is being deleted',
          actor: 'nobody',
          remedy: 'it is made anew when it is gone',
        },
        {
          reason: 'CustomResourceDefinitionNotEstablished',
          event: 'Warning',
          cause: 'the API server does not serve the CRD, such as for names that are taken',
          actor: 'operator',
          remedy: 'see the conditions of the CRD',
        },
        forbidden,
        {
          reason: 'Unbinding',
          cause: 'the binding is being deleted, and objects or copies are left',
          actor: 'operator',
          remedy: 'see the message; `hawser.dev/release: <reason>` lets go at once, and leaves copies behind',
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
      condition: 'Synced',
      meaning: 'Every object is in step with its copy. Unknown until each was looked at once.',
      reasons: [
        asExpected,
        { reason: 'Pending', cause: 'not every object was looked at yet', actor: 'nobody', remedy: 'wait' },
        {
          reason: 'ObjectsNotSynced',
          cause: 'some objects are not in step; the message shows one',
          actor: 'consumer',
          remedy: 'see the Events of the objects',
        },
      ],
    },
    {
      condition: 'Conflicts',
      meaning: 'True where other objects stand in the places of copies.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignObjectExists',
          cause: 'at least one of them bears no mark',
          actor: 'consumer',
          remedy: 'see the Events of the objects, or set `spec.conflictPolicy: Adopt`',
        },
        {
          reason: 'OwnedByAnother',
          cause: 'all of them are copies of other objects or of other consumer clusters',
          actor: 'consumer',
          remedy: 'see the Events of the objects',
        },
      ],
    },
    { condition: 'PermissionDenied', meaning: 'True where rights are missing.', reasons: [asExpected, forbidden] },
    {
      condition: 'SchemaInSync',
      meaning: "The CRDs here are the provider's. False while a changed schema is held; the API is served as before.",
      reasons: [
        asExpected,
        ...heldSchemas,
        {
          reason: 'SchemaOfOtherConnection',
          cause: 'the CRD follows another Connection, whose provider offers another schema of the API',
          actor: 'operator',
          remedy: 'have both providers offer one schema; objects that fit both are synced',
        },
      ],
    },
    {
      condition: 'Routed',
      meaning:
        'False where the copies of some objects are not where the bindings lead. Set once there was such an object.',
      reasons: [
        asExpected,
        {
          reason: 'ObjectsElsewhere',
          cause:
            'labels or selectors have changed, so that another binding or none selects an object, or no binding leads to the Connection of its copy. The copy stays',
          actor: 'operator',
          remedy:
            'move the object: `hawser move NAMESPACE/NAME --to CONNECTION`; or change labels or selectors, so that a binding to the Connection of the copy selects it',
        },
      ],
    },
    kbindRelated,
  ],
};
