import { type ApiError, type KubeObject, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { Informer, Subscription } from '@hawser/informer';

import { refusalProblem, refusedRequest } from './refused-right.js';

/** Tracks refusals by an API server that keep the caches of a resource empty. Waiting alone does not solve them. */
export interface CacheTroubles {
  /** Observes a cache until the subscription is closed. */
  follow(side: 'consumer' | 'provider', informer: Pick<Informer<KubeObject>, 'state' | 'onStateChange'>): Subscription;
  /** Whether this cache is refused. */
  has(informer: object): boolean;
  /** One problem for each cause: service namespaces refused alike are counted, not listed. */
  all(): readonly Problem[];
}

interface Refused {
  readonly side: 'consumer' | 'provider';
  readonly error: ApiError;
}

/** `changed` is called whenever a refusal begins or ends. */
export function createCacheTroubles(changed: () => void): CacheTroubles {
  const refused = new Map<object, Refused>();
  return {
    follow(side, informer) {
      const look = (): void => {
        const { state } = informer;
        const known = refused.get(informer);
        if (state.phase === 'waiting' && isRefusal(side, state.error)) {
          refused.set(informer, { side, error: state.error });
          // The cache retries again and again with the same answer.
          if (known?.error.code !== state.error.code) changed();
        } else if (state.phase === 'watching' && refused.delete(informer)) changed();
      };
      const subscription = informer.onStateChange(look);
      look();
      return {
        close() {
          subscription.close();
          if (refused.delete(informer)) changed();
        },
      };
    },
    has: (informer) => refused.has(informer),
    all() {
      const causes = new Map<string, { readonly first: Refused; count: number }>();
      for (const entry of refused.values()) {
        const cause = `${entry.side}/${entry.error.code}`;
        const known = causes.get(cause);
        if (known === undefined) causes.set(cause, { first: entry, count: 1 });
        else known.count++;
      }
      return [...causes.values()].map(({ first, count }) => unreadableProblem(first.error, first.side, count - 1));
    },
  };
}

/** Without its CRD a consumer has no objects either, and other conditions report that. */
function isRefusal(side: 'consumer' | 'provider', error: ApiError): boolean {
  return (
    isApiError(error, 'Unauthorized', 'Forbidden') ||
    (side === 'provider' && isApiError(error, 'NotFound', 'MethodNotAllowed'))
  );
}

/**
 * Why objects of a bound resource cannot be read: the text of the binding's condition, and of `hawser why`. `more`:
 * number of further namespaces refused alike.
 */
export function unreadableProblem(error: ApiError, side: 'consumer' | 'provider', more = 0): Problem {
  if (!isApiError(error, 'NotFound', 'MethodNotAllowed'))
    return refusalProblem(error, side, {
      consequence: side === 'consumer' ? 'No object is synced until then.' : 'Nothing is synced there until then.',
      more,
      chart: 'boundResources',
    });
  const alike = more === 0 ? '' : ` The same goes for ${more} more ${more === 1 ? 'namespace' : 'namespaces'}.`;
  return {
    reason: 'NotServedByProvider',
    message: `${refusedRequest(error, side)}${alike} Nothing can be synced there. The provider has to serve the resource again, with the scope that it was exported with.`,
    actor: 'provider',
  };
}
