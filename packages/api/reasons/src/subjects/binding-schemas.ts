import type { Reason } from '../reason.js';

export const foreign = {
  reason: 'ForeignCustomResourceDefinition',
  cause: 'the consumer has that CRD from elsewhere, or an older binding binds the same resource',
  actor: 'consumer',
  remedy: 'delete the other CRD or one of the bindings; clears by itself',
  event: 'Warning',
} as const;

export const schemaInSync = [
  {
    reason: 'BoundSchemaFetchFailed',
    cause: 'a BoundSchema is missing or may not be read',
    actor: 'provider',
    remedy: 'make it again, or grant `get`',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaInvalid',
    cause: 'a BoundSchema cannot become a CRD, or describes another resource',
    actor: 'provider',
    remedy: 'correct it',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionCreateFailed',
    cause:
      "the consumer's API server refused the new CRD, in its words; tried again when something changes, else every 10 min",
    actor: 'provider',
    remedy: 'correct the schema; the operator, if a right is missing, grants it',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionUpdateFailed',
    cause:
      "the consumer's API server refused the changed CRD, in its words; tried again when something changes, else every 10 min",
    actor: 'provider',
    remedy: 'correct the schema; the operator, if a right is missing, grants it',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionReadFailed',
    cause: 'the CRD may not be read',
    actor: 'operator',
    remedy: 'grant `get`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const namesAccepted = [
  {
    reason: 'ReservedNamesDropped',
    cause:
      'a BoundSchema asks for short names or categories of Kubernetes, such as `po` or `all`; the CRD is installed without them',
    actor: 'nobody',
    remedy: 'none needed; the provider may choose other names',
  },
] as const satisfies readonly Reason[];

export const schemaUpdateHeld = [
  {
    reason: 'BreakingSchemaChange',
    cause: 'a BoundSchema has changed in a way that some objects may not survive; the message names the fields',
    actor: 'operator',
    remedy:
      'have the provider go back on it, or approve just this one by the annotation `hawser.dev/schema-approved` that the message says',
    event: 'Warning',
  },
  {
    reason: 'SchemaUpdatesOff',
    cause: 'a BoundSchema has changed, and the policy is `Never`',
    actor: 'operator',
    remedy: 'approve it by `hawser.dev/schema-approved`, or change `hawser.dev/schema-update`',
    event: 'Warning',
  },
  {
    reason: 'StoredObjectsInvalid',
    cause:
      'the change is safe by its shape, but objects that are stored here could not be created under it; the message counts and names them',
    actor: 'consumer',
    remedy: 'correct the objects: it is looked at again every 10 min; or approve it',
    event: 'Warning',
  },
  {
    reason: 'StoredObjectsUnread',
    cause: 'the change is safe by its shape, but the objects that are stored here may not be listed',
    actor: 'operator',
    remedy: 'grant `list` on them, or approve the change',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsLeft',
    cause:
      'everything is installed, but that versions stay in which objects are stored still; they are being rewritten',
    actor: 'nobody',
    remedy: 'wait; `StoredVersionsMigrated` says if something is in the way',
    event: 'Warning',
  },
  {
    reason: 'IncompatibleSchemaChange',
    cause:
      'a BoundSchema has another scope, kind, group or plural than the CRD that is installed: it is another API, and no approval helps',
    actor: 'provider',
    remedy: 'take the change back, or offer it as another API; the consumer can unbind and bind anew',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const storedVersions = [
  {
    reason: 'StoredObjectsRefused',
    cause:
      'objects cannot be stored anew as they stand: admission refuses them, or they are not valid any more; the message names the first',
    actor: 'consumer',
    remedy: 'correct the objects; tried again every 10 min',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsForbidden',
    cause: 'the konnector may not rewrite the objects, or not write the status of the CRD',
    actor: 'operator',
    remedy: 'grant it (chart: `storedVersionMigration`), or turn the migration off',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsUnreachable',
    cause: 'no version of the CRD is served, so its objects can be neither read nor written',
    actor: 'provider',
    remedy: 'serve one',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const migrated = [
  {
    reason: 'StoredVersionsMigrated',
    cause: 'all objects of a CRD are stored in its storage version; told as an Event only',
    actor: 'nobody',
    remedy: 'none needed',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];
