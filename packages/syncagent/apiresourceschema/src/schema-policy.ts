import { type PublishedResource, hawserAnnotations } from '@hawser/syncagent-api';

/** What becomes of a changed schema. `Safe`: a breaking one waits for approval. */
export type SchemaPolicy = 'Always' | 'Safe' | 'Never';

/** On a PublishedResource: the name, or the prefix of the name, of the APIResourceSchema that may be published although it breaks something. */
export const approvalAnnotation = 'hawser.dev/schema-approved';

/** `Always` is what the Go agent does. A word that is none of ours is meant to restrain. */
export function schemaPolicyOf({ metadata }: PublishedResource): SchemaPolicy {
  switch (metadata.annotations?.[hawserAnnotations.schemaUpdate]?.trim().toLowerCase() ?? '') {
    case '':
    case 'always':
      return 'Always';
    case 'never':
      return 'Never';
    default:
      return 'Safe';
  }
}

export function isApproved({ metadata }: PublishedResource, schemaName: string): boolean {
  const approved = metadata.annotations?.[approvalAnnotation]?.trim();
  return approved !== undefined && (approved === schemaName || approved === prefixOf(schemaName));
}

/** `v0595d221`: in which the hash of the schema stands. */
export function prefixOf(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.indexOf('.')));
}
