import { type SchemaPolicy, parseSchemaPolicy } from '@hawser/schemagate';
import { type PublishedResource, hawserAnnotations } from '@hawser/syncagent-api';

/** On a PublishedResource: the name, or the prefix of the name, of the APIResourceSchema that may be published although it breaks something. */
export const approvalAnnotation = 'hawser.dev/schema-approved';

/** `Always`, unless it says otherwise: that is what the Go agent does. */
export function schemaPolicyOf({ metadata }: PublishedResource): SchemaPolicy {
  return parseSchemaPolicy(metadata.annotations?.[hawserAnnotations.schemaUpdate]) ?? 'Always';
}

export function isApproved({ metadata }: PublishedResource, schemaName: string): boolean {
  const approved = metadata.annotations?.[approvalAnnotation]?.trim();
  return approved !== undefined && (approved === schemaName || approved === prefixOf(schemaName));
}

/** `v0595d221`: in which the hash of the schema stands. */
export function prefixOf(schemaName: string): string {
  return schemaName.slice(0, Math.max(0, schemaName.indexOf('.')));
}
