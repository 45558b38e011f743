import { type ApiError, type KubeObject, type Resource, isApiError, resourceName } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { refusedRequest } from '@hawser/konnector-sync';

import type { ClaimedObjectProblem } from './verdict.js';
import type { Side } from './marks.js';
import { refusedClaim } from './problem-of.js';

type Cache = Pick<InformerHandle<KubeObject>, 'state' | 'hasSynced' | 'spec'>;

/** Refusals and unserved resources that keep caches empty: one per resource, side and kind; text of the first. */
export function cacheProblems(
  claimed: Resource,
  caches: Readonly<Record<Side, readonly Cache[]>>,
): readonly ClaimedObjectProblem[] {
  const sides: readonly Side[] = ['consumer', 'provider'];
  return sides.flatMap((side) => {
    const causes = new Map<string, { readonly error: ApiError; count: number }>();
    for (const { state, spec } of caches[side]) {
      if (state.phase !== 'waiting' || !isApiError(state.error, 'Unauthorized', 'Forbidden', 'NotFound')) continue;
      // A referring resource may appear whenever its API does.
      if (state.error.code === 'NotFound' && resourceName(spec.resource) !== resourceName(claimed)) continue;
      const cause = `${spec.resource.resource}/${state.error.code}`;
      const known = causes.get(cause);
      if (known === undefined) causes.set(cause, { error: state.error, count: 1 });
      else known.count++;
    }
    return [...causes.values()].map(({ error, count }): ClaimedObjectProblem => {
      const more =
        count === 1 ? '' : ` The same goes for ${count - 1} more ${count === 2 ? 'namespace' : 'namespaces'}.`;
      if (error.code === 'NotFound')
        return {
          reason: 'ClaimedResourceMissing',
          message: `${refusedRequest(error, side)}${more} Its API has to be installed there; it goes on by itself then.`,
          actor: side === 'consumer' ? 'operator' : 'provider',
        };
      return refusedClaim(error, side, count - 1);
    });
  });
}

/** Whether a cache is filled, or cannot fill for now. */
export function isSettled({ hasSynced, state }: Cache): boolean {
  return hasSynced || state.phase === 'waiting';
}
