import type { Reason, ReasonSubject } from '../reason.js';
import { backendRights, rightsGranted } from './consumer-rights.js';

const connected = [
  { reason: 'APIServiceBindingNotFound', cause: 'no binding on the consumer uses the export; severity Info', actor: 'consumer', remedy: 'bind it, if it is meant to be bound' },
  { reason: 'NoPlaceForCopies', cause: 'as `ObjectsInSync` of the binding', actor: 'provider', remedy: 'offer the resource with the isolation, or the scope, that the message names' },
  { reason: 'BoundSchemasNotValid', cause: 'a BoundSchema cannot be read, or the state of its CRD cannot be written to it', actor: 'provider', remedy: 'make it again, or grant what is named' },
] as const satisfies readonly Reason[];

const consumerInSync = [
  { reason: 'NA', cause: 'no binding on the consumer uses the export; severity Info', actor: 'consumer', remedy: 'bind it, if it is meant to be bound' },
  { reason: 'Unknown', cause: 'the consumer has not reported on the schema yet; severity Info', actor: 'nobody', remedy: 'wait' },
] as const satisfies readonly Reason[];

const providerInSync = [
  { reason: 'BoundSchemaMissing', cause: 'a BoundSchema of the export is missing; made again while the request stands and the CRD is exported', actor: 'provider', remedy: 'label the CRD `kube-bind.io/exported=true`' },
] as const satisfies readonly Reason[];

const unbound = [
  { reason: 'BindingGone', cause: 'the consumer had bound the export, and its binding is gone: its objects were let go of or deleted, as it says by its own policy', actor: 'nobody', remedy: 'none needed; the provider may withdraw the consumer\'s rights, and keeps the objects or deletes them by its own policy' },
] as const satisfies readonly Reason[];

const withdrawal = [
  { reason: 'ExportWithdrawn', cause: 'the consumer has unbound the export, or deleted the request for it: its rights are withdrawn, its objects stay', actor: 'provider', remedy: 'none needed; delete the objects, and then the export, if they are not to be kept', event: 'Normal' },
  { reason: 'ExportRestored', cause: 'a withdrawn export is bound or requested again', actor: 'nobody', remedy: 'nothing', event: 'Normal' },
] as const satisfies readonly Reason[];

export const exportReasons = [...connected, ...consumerInSync, ...providerInSync, ...unbound, ...withdrawal, ...rightsGranted, ...backendRights] as const;

export const exportSubject = {
  kind: 'APIServiceExport',
  title: 'APIServiceExport (on the provider)',
  intro: 'The konnector writes `Connected`, `ConsumerInSync` and `Unbound`, the provider role `ProviderInSync` and `RightsGranted`.',
  groups: [
    { condition: 'Connected', meaning: 'Whether the consumer uses the export.', reasons: connected },
    { condition: 'ConsumerInSync', meaning: '`SchemaInSync` of the binding, with its reasons; apart from these:', reasons: consumerInSync },
    { condition: 'ProviderInSync', meaning: 'Whether the provider has all that the export names.', reasons: providerInSync },
    { condition: 'Unbound', meaning: 'True once a binding of the export has gone; absent before, and from the next binding on. A Go konnector never says so.', reasons: unbound },
    { meaning: 'While the annotation `hawser.dev/withdrawn` stands, the consumer has no rights for the export.', reasons: withdrawal },
    { condition: 'RightsGranted', meaning: 'Whether the consumer has the rights that the export needs. Absent where it always had.', reasons: rightsGranted },
    { meaning: 'On ClusterRoles and ClusterRoleBindings with rights that another backend gave to all consumers together.', reasons: backendRights },
  ],
} as const satisfies ReasonSubject;

export const boundSchemaSubject = {
  kind: 'BoundSchema',
  title: 'BoundSchema (on the provider)',
  intro: 'The konnector copies the conditions of the consumer\'s CRD (`Established`, `NamesAccepted`, …) with their reasons, its accepted names and stored versions, and sums them up in `Ready`.',
  groups: [
    {
      condition: 'SchemaApplied',
      meaning: `True when the consumer serves the schema: the reason is its hash (as in \`kube-bind.io/source-spec-hash\`). False when the consumer does not take it; the message begins with the hash, and the
reason is one of \`Connected\` or \`SchemaInSync\` of the binding, or why it is held there. Counts in no summary. A Go konnector never writes it.`,
      reasons: [],
    },
  ],
} as const satisfies ReasonSubject;
