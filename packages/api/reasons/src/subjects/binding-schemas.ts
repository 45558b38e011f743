import type { Reason } from '../reason.js';

export const foreign = {
  reason: 'ForeignCustomResourceDefinition',
  cause:
    'another installation owns the CRD on the consumer, or core.kbind.io serves it, or an older binding binds the same resource',
  actor: 'consumer',
  remedy:
    'delete one of the bindings, or the other CRD if nobody needs its objects: they go with it. The condition clears by itself',
  event: 'Warning',
} as const;

export const schemaInSync = [
  {
    reason: 'BoundSchemaFetchFailed',
    cause: 'a BoundSchema is missing, or the konnector lacks the right to read it',
    actor: 'provider',
    remedy: 'create it again, or grant `get`',
    event: 'Warning',
  },
  {
    reason: 'BoundSchemaInvalid',
    cause: 'the konnector cannot make a CRD of a BoundSchema, or the BoundSchema describes another resource',
    actor: 'provider',
    remedy: 'correct the BoundSchema',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionCreateFailed',
    cause:
      "the consumer's API server refused the new CRD; the message quotes it. The konnector retries on each change, and at least every 10 min",
    actor: 'provider',
    remedy: 'correct the schema; the operator grants the right, if one is missing',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionUpdateFailed',
    cause:
      "the consumer's API server refused the changed CRD; the message quotes it. The konnector retries on each change, and at least every 10 min",
    actor: 'provider',
    remedy: 'correct the schema; the operator grants the right, if one is missing',
    event: 'Warning',
  },
  {
    reason: 'CustomResourceDefinitionReadFailed',
    cause: 'the konnector lacks the right to read the CRD',
    actor: 'operator',
    remedy: 'grant `get`',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const namesAccepted = [
  {
    reason: 'ReservedNamesDropped',
    cause:
      'a BoundSchema asks for short names or categories of Kubernetes, such as `po` or `all`. The konnector installs the CRD without them',
    actor: 'nobody',
    remedy: 'do nothing; the provider may choose other names',
  },
] as const satisfies readonly Reason[];

export const schemaUpdateHeld = [
  {
    reason: 'BreakingSchemaChange',
    cause: 'a BoundSchema has changed in a way that may break existing objects; the message names the fields',
    actor: 'operator',
    remedy:
      'have the provider take the change back, or approve only this schema by the annotation `hawser.dev/schema-approved` in the message',
    event: 'Warning',
  },
  {
    reason: 'SchemaUpdatesOff',
    cause: 'a BoundSchema has changed, and the policy is `Never`',
    actor: 'operator',
    remedy: 'approve the schema by `hawser.dev/schema-approved`, or change `hawser.dev/schema-update`',
    event: 'Warning',
  },
  {
    reason: 'StoredObjectsInvalid',
    cause:
      'the changed schema is compatible, but some objects stored here do not fit it; the message counts and names them',
    actor: 'consumer',
    remedy: 'correct the objects, or approve the schema. The konnector checks the objects again every 10 min',
    event: 'Warning',
  },
  {
    reason: 'StoredObjectsUnread',
    cause: 'the changed schema is compatible, but the konnector lacks the right to list the objects stored here',
    actor: 'operator',
    remedy: 'grant `list` on the objects, or approve the schema',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsLeft',
    cause:
      'the new schema is installed, except that it keeps old versions in which objects are still stored. The konnector is rewriting the objects',
    actor: 'nobody',
    remedy: 'wait; `StoredVersionsMigrated` names what blocks the rewriting',
    event: 'Warning',
  },
  {
    reason: 'IncompatibleSchemaChange',
    cause:
      'a BoundSchema has another scope, kind, group or plural than the installed CRD. It is another API, and no approval helps',
    actor: 'provider',
    remedy: 'take the change back, or offer it as another API; the consumer can unbind and bind again',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const storedVersions = [
  {
    reason: 'StoredObjectsRefused',
    cause:
      'the API server refuses to store objects again: admission rejects them, or they are no longer valid. The message names the first',
    actor: 'consumer',
    remedy: 'correct the objects. The konnector retries every 10 min',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsForbidden',
    cause: 'the konnector lacks the right to rewrite the objects, or to write the status of the CRD',
    actor: 'operator',
    remedy: 'grant the right (chart: `storedVersionMigration`), or turn the migration off',
    event: 'Warning',
  },
  {
    reason: 'StoredVersionsUnreachable',
    cause: 'the CRD serves no version, so its objects can be neither read nor written',
    actor: 'provider',
    remedy: 'serve a version',
    event: 'Warning',
  },
] as const satisfies readonly Reason[];

export const migrated = [
  {
    reason: 'StoredVersionsMigrated',
    cause: 'all objects of a CRD are stored in its storage version. Reported by an Event only',
    actor: 'nobody',
    remedy: 'do nothing',
    event: 'Normal',
  },
] as const satisfies readonly Reason[];
