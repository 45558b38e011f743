import { type SchemaPolicy, parseSchemaPolicy } from '@hawser/schemagate';
import { type PublishedResource, hawserAnnotations } from '@hawser/syncagent-api';

/**
 * Annotation on a PublishedResource: the name, or a prefix of it, of the APIResourceSchema that is approved despite
 * breaking changes.
 */
export const approvalAnnotation = 'hawser.dev/schema-approved';

/** Default `Always`, as in the Go agent. */
export function schemaPolicyOf({ metadata }: PublishedResource): SchemaPolicy {
  return parseSchemaPolicy(metadata.annotations?.[hawserAnnotations.schemaUpdate]) ?? 'Always';
}

export function isApproved({ metadata }: PublishedResource, schemaName: string): boolean {
  const approved = metadata.annotations?.[approvalAnnotation]?.trim();
  return approved !== undefined && (approved === schemaName || approved === prefixOf(schemaName));
}

/** The prefix with the hash of the schema: `v0595d221`. */
export function prefixOf(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.indexOf('.')));
}
