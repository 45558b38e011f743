import type { ClaimedResource } from '@hawser/kcp-api';
import { type PublishedResource, relatedResourcesOf } from '@hawser/syncagent-api';

/** The contribution of one PublishedResource to the APIExport. */
export interface Contribution {
  readonly uid: string;
  readonly name: string;
  /** Name of its APIResourceSchema; undefined: it has none yet. */
  readonly schema: string | undefined;
  /** Claims that it always needs. */
  readonly claims: readonly ClaimedResource[];
  /** Claims that it needs unless the export itself has the resource. */
  readonly relatedClaims: readonly ClaimedResource[];
}

const namespaces: ClaimedResource = { group: '', resource: 'namespaces' };
const logicalClusters: ClaimedResource = { group: 'core.kcp.io', resource: 'logicalclusters' };

/** `spec/api-syncagent.md §10.2`, step 5. */
export function contributionOf({ metadata, spec, status }: PublishedResource): Contribution {
  const related = spec.related ?? [];
  const claims = [
    ...(related.length > 0 || spec.filter?.namespace !== undefined ? [namespaces] : []),
    ...(spec.enableWorkspacePaths === true ? [logicalClusters] : []),
  ];
  const relatedClaims = related.map((entry): ClaimedResource => {
    const { group, resource } = relatedResourcesOf(entry).kcp;
    return { group, resource, identityHash: entry.identityHash ?? '' };
  });
  const schema = status?.resourceSchemaName ?? '';
  return {
    uid: metadata.uid ?? metadata.name,
    name: metadata.name,
    schema: schema === '' ? undefined : schema,
    claims,
    relatedClaims,
  };
}

/** The contributions of all, in order of precedence: older first, so a new one takes nothing away. */
export function contributionsOf(objects: readonly PublishedResource[]): readonly Contribution[] {
  const age = ({ metadata }: PublishedResource): string => `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return objects.toSorted((a, b) => (age(a) < age(b) ? -1 : 1)).map(contributionOf);
}
