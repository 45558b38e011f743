import type { APIResourceSchema } from '@hawser/kcp-api';
import type { PublishedResource } from '@hawser/syncagent-api';

/** A PublishedResource with its wanted schema. */
export interface Claimant {
  readonly publishedResource: PublishedResource;
  readonly schema: APIResourceSchema;
}

/**
 * Finds the owner of the kind that this one wants, for another resource of the same group. kcp accepts both, and then
 * routes consumers' applies to one of the two. A published one wins, else the older. Conflicts of one plural are
 * reported with the APIExport. Pure.
 */
export function rivalOf(mine: Claimant, others: Iterable<Claimant>): Claimant | undefined {
  return [...others].find(
    (other) =>
      isOfOneKind(mine.schema, other.schema) &&
      other.publishedResource.metadata.deletionTimestamp === undefined &&
      rankOf(other) < rankOf(mine),
  );
}

export function isOfOneKind({ spec: a }: APIResourceSchema, { spec: b }: APIResourceSchema): boolean {
  const [kinds, others] = [a, b].map(({ names: { kind, listKind = `${kind}List` } }) => [kind, listKind]);
  return (
    a.group === b.group && a.names.plural !== b.names.plural && kinds?.some((kind) => others?.includes(kind)) === true
  );
}

/** Compared as text: less is first. */
function rankOf({
  publishedResource: {
    metadata: { creationTimestamp = '', name },
    status,
  },
  schema,
}: Claimant): string {
  return `${status?.resourceSchemaName === schema.metadata.name ? '0' : '1'} ${creationTimestamp} ${name}`;
}
