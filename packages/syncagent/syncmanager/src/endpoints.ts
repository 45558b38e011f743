import type { APIExportEndpointSlice } from '@hawser/kcp-api';

type Endpoint = NonNullable<NonNullable<APIExportEndpointSlice['status']>['endpoints']>[number];

/** What is to be engaged and disengaged so that there is one engagement for each endpoint of the slice, and how specific each endpoint is. Pure. */
export function compareEndpoints(
  engaged: Iterable<string>,
  slice: APIExportEndpointSlice | undefined,
): {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly specificities: ReadonlyMap<string, number>;
} {
  const wanted = new Map<string, number>();
  for (const endpoint of slice?.status?.endpoints ?? []) {
    const url = endpoint.url.replace(/\/+$/u, '');
    wanted.set(url, Math.max(specificityOf(endpoint), wanted.get(url) ?? 0));
  }
  const present = new Set(engaged);
  return {
    add: [...wanted.keys()].filter((url) => !present.has(url)),
    remove: [...present].filter((url) => !wanted.has(url)),
    specificities: wanted,
  };
}

/**
 * kcp after 0.32.3 compares by the number of requirements: all shards have none. A URL that says nothing is one for a single shard, and nothing is more specific than that.
 */
function specificityOf({ shards }: Endpoint): number {
  const { matchAll, selector } = shards ?? {};
  if (selector !== undefined)
    return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0);
  return matchAll === true ? 0 : Number.MAX_SAFE_INTEGER;
}
