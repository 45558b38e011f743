import type { APIExportEndpointSlice } from '@hawser/kcp-api';

/** What is to be engaged and disengaged so that there is one engagement for each endpoint of the slice. Pure. */
export function compareEndpoints(
  engaged: Iterable<string>,
  slice: APIExportEndpointSlice | undefined,
): { readonly add: readonly string[]; readonly remove: readonly string[] } {
  const wanted = new Set((slice?.status?.endpoints ?? []).map(({ url }) => url.replace(/\/+$/u, '')));
  const present = new Set(engaged);
  return {
    add: [...wanted].filter((url) => !present.has(url)),
    remove: [...present].filter((url) => !wanted.has(url)),
  };
}
