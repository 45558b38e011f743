// Types and reasons of conditions (spec/kube-bind-api.md §10).

export const conditionTypes = {
  ready: 'Ready',
  /** APIServiceBinding, APIServiceBindingBundle, ClusterBinding. */
  secretValid: 'SecretValid',
  /** APIServiceBinding. */
  informersSynced: 'InformersSynced',
  heartbeating: 'Heartbeating',
  schemaInSync: 'SchemaInSync',
  /** APIServiceBinding, APIServiceExport. */
  connected: 'Connected',
  /** APIServiceBindingBundle. */
  synced: 'Synced',
  /** APIServiceExport. */
  consumerInSync: 'ConsumerInSync',
  providerInSync: 'ProviderInSync',
  /** ClusterBinding. */
  validVersion: 'ValidVersion',
  healthy: 'Healthy',
  /** ClusterBinding, Hawser's own: the consumer is about to lose its access, or has lost it. */
  credentialExpiring: 'CredentialExpiring',
  /** APIServiceExportRequest. */
  exportsReady: 'ExportsReady',
  permissionClaim: 'PermissionClaim',
  /** APIServiceExportRequest, Hawser's own, as kstatus reads it: it has failed for good. Absent otherwise. */
  stalled: 'Stalled',
  /** CustomResourceDefinition, BoundSchema. */
  established: 'Established',
  namesAccepted: 'NamesAccepted',
  /** APIServiceBinding, Hawser's own: how many objects are not in step. Its severity is always empty, so that no summary counts it. */
  objectsInSync: 'ObjectsInSync',
  /** APIServiceBinding, Hawser's own: whether claims that came after it was bound are accepted, and whether claims are served. Their severity is always empty. */
  claimsAccepted: 'ClaimsAccepted',
  claimsInSync: 'ClaimsInSync',
  /** APIServiceExport and APIServiceBinding, Hawser's own: a changed schema waits for approval; what is in use stays, and no summary counts it. */
  schemaUpdateHeld: 'SchemaUpdateHeld',
  /** APIServiceBinding, Hawser's own: False while objects cannot be stored anew in the version of their CRD that is stored now. */
  storedVersionsMigrated: 'StoredVersionsMigrated',
  /** BoundSchema, Hawser's own: the consumer serves this schema; the reason is its hash. */
  schemaApplied: 'SchemaApplied',
  /** APIServiceExport, Hawser's own: the consumer has let go of it. */
  unbound: 'Unbound',
  /** APIServiceExport, Hawser's own: whether the consumer has the rights that it needs. Absent where it always had. */
  rightsGranted: 'RightsGranted',
  /** APIServiceExport, Hawser's own: True while other consumers see the objects, or share their names. Absent otherwise. */
  objectsShared: 'ObjectsShared',
  /** APIServiceExport, Hawser's own: True while copies of a consumer are not deleted although its export has ended and its policy is `Delete`. Absent otherwise. */
  deletionsHeld: 'DeletionsHeld',
  /** APIServiceExport, Hawser's own: False while an annotation has a value that nobody knows. Absent otherwise. Its severity is always empty, so that no summary counts it. */
  policiesValid: 'PoliciesValid',
  /** ClusterBinding, Hawser's own: True while there are copies of exports that have ended. Absent otherwise. */
  objectsLeft: 'ObjectsLeft',
} as const;

export const conditionReasons = {
  kubeconfigSecretNotFound: 'KubeconfigSecretNotFound',
  kubeconfigSecretInvalid: 'KubeconfigSecretInvalid',
  informerSyncTimeout: 'InformerSyncTimeout',
  clusterBindingUpdateFailed: 'ClusterBindingUpdateFailed',
  apiServiceExportNotFound: 'APIServiceExportNotFound',
  apiServiceExportFailed: 'APIServiceExportFailed',
  boundSchemaFetchFailed: 'BoundSchemaFetchFailed',
  customResourceDefinitionCreateFailed: 'CustomResourceDefinitionCreateFailed',
  customResourceDefinitionUpdateFailed: 'CustomResourceDefinitionUpdateFailed',
  foreignCustomResourceDefinition: 'ForeignCustomResourceDefinition',
  pending: 'Pending',
  providerClientError: 'ProviderClientError',
  listExportsFailed: 'ListExportsFailed',
  listBindingsFailed: 'ListBindingsFailed',
  syncErrors: 'SyncErrors',
  apiServiceBindingNotFound: 'APIServiceBindingNotFound',
  boundSchemasNotValid: 'BoundSchemasNotValid',
  boundSchemaMissing: 'BoundSchemaMissing',
  notApplicable: 'NA',
  unknown: 'Unknown',
  providerSecretNotFound: 'ProviderSecretNotFound',
  providerSecretInvalid: 'ProviderSecretInvalid',
  parseError: 'ParseError',
  firstHeartbeatPending: 'FirstHeartbeatPending',
  heartbeatIntervalMissing: 'HeartbeatIntervalMissing',
  heartbeatTimeout: 'HeartbeatTimeout',
  heartbeatTimeDrift: 'HeartbeatTimeDrift',
  boundSchemaNotFound: 'BoundSchemaNotFound',
  schemaNotFound: 'SchemaNotFound',
  differentScopes: 'DifferentScopes',
  invalidPermissionClaim: 'InvalidPermissionClaim',
  duplicatePermissionClaim: 'DuplicatePermissionClaim',
  secretReady: 'SecretReady',
  templateNotFound: 'TemplateNotFound',
  handleResourcesFailed: 'HandleResourcesFailed',
  secretCreationFailed: 'SecretCreationFailed',
  deleting: 'Deleting',
  deletionFailed: 'DeletionFailed',
  deleted: 'Deleted',
  incorrectExternalRef: 'IncorrectExternalRef',
} as const;
