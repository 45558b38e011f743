const held = (reason: string, cause: string) =>
  ({
    reason,
    cause,
    actor: 'operator',
    remedy: 'see the message: approve the schema, correct the objects, or have the provider take the change back',
  }) as const;

/** Why a changed schema of a provider waits. */
export const heldSchemas = [
  held('BreakingSchemaChange', 'the change would break objects or clients'),
  held('SchemaUpdatesOff', 'the policy lets no change through'),
  held('StoredObjectsInvalid', 'objects that are stored here do not fit the new schema'),
  held('StoredObjectsUnread', 'the stored objects could not be checked'),
  held('IncompatibleSchemaChange', 'no approval helps: stored objects could not be read any more'),
  held('StoredVersionsLeft', 'objects are stored in a version that would go'),
] as const;
