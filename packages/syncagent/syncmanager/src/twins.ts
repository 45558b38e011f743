import type { Problem } from '@hawser/controller';
import { parseSchemaName } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';

/**
 * Whether two PublishedResources are one resource in kcp. Only the older is in the APIExport; two syncs would make two
 * copies of every object.
 */
export function isTwin(a: PublishedResource, b: PublishedResource): boolean {
  const resource = resourceOf(a);
  return a.metadata.name !== b.metadata.name && resource !== undefined && resource === resourceOf(b);
}

/** Orders PublishedResources as the APIExport takes them. */
export function isOlder(a: PublishedResource, b: PublishedResource): boolean {
  return ageOf(a) < ageOf(b);
}

export function publishedTwice({ metadata: { name }, status }: PublishedResource, older: PublishedResource): Problem {
  return {
    reason: 'ResourcePublishedTwice',
    actor: 'provider',
    message: `The resource of ${status?.resourceSchemaName ?? name} is published by PublishedResource ${older.metadata.name}, which is older. The provider must give one of them another kind, plural or group (spec.projection), or delete it.`,
  };
}

function resourceOf({ metadata, status }: PublishedResource): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const parts = parseSchemaName(status?.resourceSchemaName ?? '');
  return parts === undefined ? undefined : `${parts.resource}.${parts.group}`;
}

function ageOf({ metadata }: PublishedResource): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
}
