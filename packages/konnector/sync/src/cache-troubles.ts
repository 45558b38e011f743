import { type ApiError, type KubeObject, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { Informer, Subscription } from '@hawser/informer';

import { refusedRequest } from './problem-of.js';

/** What keeps the caches of a resource from being filled: refusals of an API server, which waiting alone does not change. */
export interface CacheTroubles {
  /** Told about until the subscription is closed. */
  follow(side: 'consumer' | 'provider', informer: Pick<Informer<KubeObject>, 'state' | 'onStateChange'>): Subscription;
  /** Whether this cache is refused. */
  has(informer: object): boolean;
  /** One for each cause: service namespaces that are refused alike are counted, not listed. */
  all(): readonly Problem[];
}

interface Refused {
  readonly side: 'consumer' | 'provider';
  readonly error: ApiError;
}

/** `changed` is told whenever another cache is refused, or one is no more. */
export function createCacheTroubles(changed: () => void): CacheTroubles {
  const refused = new Map<object, Refused>();
  return {
    follow(side, informer) {
      const look = (): void => {
        const { state } = informer;
        const known = refused.get(informer);
        if (state.phase === 'waiting' && isRefusal(side, state.error)) {
          refused.set(informer, { side, error: state.error });
          // It is asked again and again, and the answer is the same.
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
      return [...causes.values()].map(({ first, count }) => inWords(first, count));
    },
  };
}

/** Without its CRD a consumer has no objects either, and other conditions tell. */
function isRefusal(side: 'consumer' | 'provider', error: ApiError): boolean {
  return isApiError(error, 'Unauthorized', 'Forbidden') || (side === 'provider' && isApiError(error, 'NotFound', 'MethodNotAllowed'));
}

function inWords({ side, error }: Refused, count: number): Problem {
  const more = count === 1 ? '' : ` The same goes for ${count - 1} more ${count === 2 ? 'namespace' : 'namespaces'}.`;
  const what = `${refusedRequest(error, side)}${more}`;
  if (side === 'consumer') return { reason: 'ForbiddenOnConsumer', message: `${what} No object is synced. Grant the konnector get, list, watch and patch on the resource, and update on its status.`, actor: 'operator' };
  if (isApiError(error, 'NotFound', 'MethodNotAllowed')) return { reason: 'NotServedByProvider', message: `${what} Nothing can be synced there. The provider has to serve the resource again, with the scope that it was exported with.`, actor: 'provider' };
  return { reason: 'ForbiddenByProvider', message: `${what} Nothing can be synced there. The provider has to grant list and watch, or renew the credential.`, actor: 'provider' };
}
