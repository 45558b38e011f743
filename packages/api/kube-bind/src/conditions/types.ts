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
  /** ClusterBinding, Hawser's own: the consumer will soon lose its access, or has lost it. */
  credentialExpiring: 'CredentialExpiring',
  /** APIServiceExportRequest. */
  exportsReady: 'ExportsReady',
  permissionClaim: 'PermissionClaim',
  /** APIServiceExportRequest, Hawser's own, in the terms of kstatus: it failed for good. Absent otherwise. */
  stalled: 'Stalled',
  /** CustomResourceDefinition, BoundSchema. */
  established: 'Established',
  namesAccepted: 'NamesAccepted',
  /**
   * APIServiceBinding, Hawser's own: how many objects are out of sync. Its severity is always empty, which keeps it out
   * of summaries.
   */
  objectsInSync: 'ObjectsInSync',
  /**
   * APIServiceBinding, Hawser's own: whether the consumer accepted claims added after the binding, and whether claims
   * are served. Their severity is always empty.
   */
  claimsAccepted: 'ClaimsAccepted',
  claimsInSync: 'ClaimsInSync',
  /**
   * APIServiceExport and APIServiceBinding, Hawser's own: a changed schema awaits approval. The schema in use stays; no
   * summary counts the condition.
   */
  schemaUpdateHeld: 'SchemaUpdateHeld',
  /** APIServiceBinding, Hawser's own: False while objects cannot be rewritten in the storage version of their CRD. */
  storedVersionsMigrated: 'StoredVersionsMigrated',
  /** BoundSchema, Hawser's own: the consumer serves this schema; the reason is its hash. */
  schemaApplied: 'SchemaApplied',
  /** APIServiceExport, Hawser's own: the consumer unbound it. */
  unbound: 'Unbound',
  /** APIServiceExport, Hawser's own: whether the consumer has the rights it needs. Absent if it always had them. */
  rightsGranted: 'RightsGranted',
  /**
   * APIServiceExport, Hawser's own: True while other consumers see the objects or share their names. Absent otherwise.
   */
  objectsShared: 'ObjectsShared',
  /**
   * APIServiceExport, Hawser's own: True while a consumer's copies are held although its export has ended and its
   * policy is `Delete`. Absent otherwise.
   */
  deletionsHeld: 'DeletionsHeld',
  /**
   * APIServiceExport, Hawser's own: False while an annotation has an unknown value. Absent otherwise. Its severity is
   * always empty, which keeps it out of summaries.
   */
  policiesValid: 'PoliciesValid',
  /** ClusterBinding, Hawser's own: True while copies of ended exports remain. Absent otherwise. */
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
