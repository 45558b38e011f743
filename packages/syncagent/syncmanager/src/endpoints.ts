import type { APIExportEndpointSlice } from '@hawser/kcp-api';

type Endpoint = NonNullable<NonNullable<APIExportEndpointSlice['status']>['endpoints']>[number];

/** Plans one engagement per endpoint of the slice, and each endpoint's specificity. Pure. */
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
 * kcp after 0.32.3 counts the requirements: all shards have none. A URL without any is for one shard, the most
 * specific.
 */
function specificityOf({ shards }: Endpoint): number {
  const { matchAll, selector } = shards ?? {};
  if (selector !== undefined)
    return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions?.length ?? 0);
  return matchAll === true ? 0 : Number.MAX_SAFE_INTEGER;
}
