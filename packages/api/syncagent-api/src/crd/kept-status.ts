import { type CustomResourceDefinition, isRecord, type SchemaNode } from '@hawser/crd';
import { version } from '../group.js';
import { publishedResourceStatus, type PublishedResourceStatus } from '../kinds/status.js';

export type StatusField = keyof PublishedResourceStatus;

const statusFields = Object.keys(publishedResourceStatus.node.properties ?? {}) as StatusField[];

/**
 * Status fields of a PublishedResource that the API server stores under the installed CRD. The CRD of the Go agent has
 * only `resourceSchemaName`; the server silently drops all others, and rewriting them would never end.
 */
export function keptStatusFields(installed: CustomResourceDefinition): ReadonlySet<StatusField> {
  const schema = installed.spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  const status = propertyOf(schema, 'status');
  if (preserves(schema) || preserves(status)) return new Set(statusFields);
  return new Set(
    statusFields.filter((field) => keeps(propertyOf(status, field), publishedResourceStatus.node.properties?.[field])),
  );
}

/** `status` without the fields that `kept` lacks, to compare and write. */
export function keptStatus(status: PublishedResourceStatus, kept: ReadonlySet<StatusField>): PublishedResourceStatus {
  return Object.fromEntries(Object.entries(status).filter(([field]) => kept.has(field as StatusField)));
}

/** Whether a schema stores the whole field. A partly stored one does not count. */
function keeps(installed: unknown, ours: SchemaNode | undefined): boolean {
  if (!isRecord(installed) || ours === undefined) return false;
  if (preserves(installed) || isRecord(installed['additionalProperties'])) return true;
  if (ours.items !== undefined) return keeps(installed['items'], ours.items);
  return Object.entries(ours.properties ?? {}).every(([name, field]) => keeps(propertyOf(installed, name), field));
}

function preserves(schema: unknown): boolean {
  return isRecord(schema) && schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function propertyOf(schema: unknown, name: string): unknown {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
