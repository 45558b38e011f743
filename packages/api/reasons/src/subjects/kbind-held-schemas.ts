const held = (reason: string, cause: string) =>
  ({
    reason,
    cause,
    actor: 'operator',
    remedy: 'approve the schema, correct the objects, or have the provider take the change back; the message says more',
  }) as const;

/** Why a changed schema of a provider waits. */
export const heldSchemas = [
  held('BreakingSchemaChange', 'the change would break objects or clients'),
  held('SchemaUpdatesOff', 'the policy is `Never`'),
  held('StoredObjectsInvalid', 'objects stored here do not fit the new schema'),
  held('StoredObjectsUnread', 'the konnector could not check the stored objects'),
  held('IncompatibleSchemaChange', 'clients could no longer read stored objects; no approval helps'),
  held('StoredVersionsLeft', 'objects are stored in a version that the change removes'),
] as const;
