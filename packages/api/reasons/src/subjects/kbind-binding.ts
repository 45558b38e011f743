import type { ReasonSubject } from '../reason.js';
import { heldSchemas } from './kbind-held-schemas.js';
import { kbindRelated } from './kbind-related.js';

const asExpected = {
  reason: 'AsExpected',
  cause: 'everything is as expected',
  actor: 'nobody',
  remedy: 'do nothing',
} as const;

const forbidden = {
  reason: 'Forbidden',
  event: 'Warning',
  cause: 'the konnector cannot list or watch objects of the API on one of the two sides',
  actor: 'provider',
  remedy: 'grant the right that the message names',
} as const;

/** ClusterBindings and Bindings of `core.kbind.io`. */
export const kbindBindingSubject: ReasonSubject = {
  kind: 'Binding',
  title: 'ClusterBinding and Binding (core.kbind.io)',
  intro:
    'The konnector writes it. A waiting API does not delay the others. When `Ready` becomes False for one of these reasons, the konnector also writes an Event.',
  groups: [
    {
      condition: 'Ready',
      meaning: 'True while every API is served. The message names each API that is not.',
      reasons: [
        asExpected,
        {
          reason: 'Pending',
          cause: 'no Connection of that name exists, or it does not work',
          actor: 'operator',
          remedy: 'check the conditions of the Connection',
        },
        {
          reason: 'NamespaceRefused',
          event: 'Warning',
          cause: 'only Bindings in the namespaces that the Connection lists may use it. This namespace is not listed',
          actor: 'operator',
          remedy: 'add the namespace to the annotation `hawser.dev/allowed-namespaces` of the Connection',
        },
        {
          reason: 'APINotExported',
          event: 'Warning',
          cause: 'the provider does not offer the API',
          actor: 'provider',
          remedy: 'label the CRD `core.kbind.io/exported=true`',
        },
        {
          reason: 'OverlappingBinding',
          event: 'Warning',
          cause:
            'an earlier binding lists the API and may select some of the same objects. This binding gets no further objects; its present objects stay in step',
          actor: 'operator',
          remedy:
            'annotate both bindings with `hawser.dev/object-selector`, with selectors that never overlap; or delete one of the two, or remove the API from one',
        },
        {
          reason: 'InvalidSelector',
          event: 'Warning',
          cause:
            'the annotation `hawser.dev/object-selector` is not a valid label selector. It selects nothing; objects that are already synced stay in step',
          actor: 'operator',
          remedy: 'correct the annotation, or remove it to select all objects',
        },
        {
          reason: 'ClusterScopedAPI',
          event: 'Warning',
          cause: 'a Binding lists a cluster-scoped API',
          actor: 'operator',
          remedy: 'use a ClusterBinding',
        },
        {
          reason: 'NoServedVersion',
          event: 'Warning',
          cause: 'no served version of the API has a schema',
          actor: 'provider',
          remedy: 'serve a version',
        },
        {
          reason: 'NotInstalled',
          event: 'Warning',
          cause: 'the pull policy of the Connection is `None`, and the CRD does not exist',
          actor: 'operator',
          remedy: 'install the CRD',
        },
        {
          reason: 'ForeignCustomResourceDefinition',
          event: 'Warning',
          cause:
            'the CRD exists, but no konnector installed it; or another Connection offers another kind or scope under that name',
          actor: 'operator',
          remedy: 'delete the CRD, or unbind it at its owner',
        },
        {
          reason: 'CustomResourceDefinitionTerminating',
          event: 'Warning',
          cause: 'the CRD is being deleted',
          actor: 'nobody',
          remedy: 'wait: the konnector creates the CRD again when it is gone',
        },
        {
          reason: 'CustomResourceDefinitionNotEstablished',
          event: 'Warning',
          cause: 'the API server does not serve the CRD, for example because its names are taken',
          actor: 'operator',
          remedy: 'check the conditions of the CRD',
        },
        forbidden,
        {
          reason: 'Unbinding',
          cause: 'the binding is being deleted, but objects or copies still exist',
          actor: 'operator',
          remedy: 'follow the message; `hawser.dev/release: <reason>` lets go at once, and leaves copies behind',
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
      condition: 'Synced',
      meaning:
        'True while every object is in step with its copy. Unknown until the konnector has examined each object once.',
      reasons: [
        asExpected,
        {
          reason: 'Pending',
          cause: 'the konnector has not examined every object yet',
          actor: 'nobody',
          remedy: 'wait',
        },
        {
          reason: 'ObjectsNotSynced',
          cause: 'some objects are not in step; the message names one',
          actor: 'consumer',
          remedy: 'check the Events of the objects',
        },
      ],
    },
    {
      condition: 'Conflicts',
      meaning: 'True while other objects stand in the places of copies.',
      reasons: [
        asExpected,
        {
          reason: 'ForeignObjectExists',
          cause: 'at least one of these objects has no mark of Hawser',
          actor: 'consumer',
          remedy: 'check the Events of the objects, or set `spec.conflictPolicy: Adopt`',
        },
        {
          reason: 'OwnedByAnother',
          cause: 'all of these objects are copies of other objects or of other consumer clusters',
          actor: 'consumer',
          remedy: 'check the Events of the objects',
        },
      ],
    },
    { condition: 'PermissionDenied', meaning: 'True while rights are missing.', reasons: [asExpected, forbidden] },
    {
      condition: 'SchemaInSync',
      meaning:
        "True while the CRDs here match the provider's. False while a changed schema is held; the API keeps the previous schema.",
      reasons: [
        asExpected,
        ...heldSchemas,
        {
          reason: 'SchemaOfOtherConnection',
          cause: 'the CRD follows another Connection, and its provider offers another schema of the API',
          actor: 'operator',
          remedy: 'have both providers offer the same schema. Objects that fit both schemas sync',
        },
      ],
    },
    {
      condition: 'Routed',
      meaning:
        'False while the copies of some objects are not where the bindings lead. Absent until the first such object.',
      reasons: [
        asExpected,
        {
          reason: 'ObjectsElsewhere',
          cause:
            'labels or selectors have changed: another binding or no binding selects an object, or no binding leads to the Connection of its copy. The copy stays',
          actor: 'operator',
          remedy:
            'move the object: `hawser move NAMESPACE/NAME --to CONNECTION`. Or change labels or selectors until a binding to the Connection of the copy selects it',
        },
      ],
    },
    kbindRelated,
  ],
};
