import { resourceName } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import type { Copies } from './copies.js';
import type { KcpCaches } from './kcp-caches.js';
import { refusedRequest } from './problem-of.js';
import type { PublishedKinds } from './published.js';
import type { Rules } from './rules.js';
import { namespaces } from './service-namespaces.js';
import type { ServiceWatches } from './service-watches.js';
import type { StateStore } from './state-store.js';
import { isRefusal, unreadable } from './unreadable.js';

/** The caches of a sync, and rights missing for all objects. */
export interface Troubled {
  readonly kinds: PublishedKinds;
  readonly rules: Rules;
  readonly copies: Copies;
  readonly state: StateStore;
  readonly kcp: KcpCaches;
  readonly watches: ServiceWatches;
  /** Namespace of the state Secrets. */
  readonly namespace: string;
  /** The right to delete state Secrets is missing. */
  readonly isStateLeft: boolean;
}

/** Refusals that keep whole caches empty, and rights missing for all objects. */
export function troublesOf(troubled: Troubled): readonly Problem[] {
  return [
    ...serviceTroubles(troubled),
    ...kcpTroubles(troubled),
    ...relatedTroubles(troubled),
    ...stateTroubles(troubled),
  ];
}

function serviceTroubles({ copies, state }: Troubled): readonly Problem[] {
  return (
    [
      ['The copies', copies.informer],
      ['What was synced last', state.informer],
    ] as const
  ).flatMap(([what, informer]) => {
    const error = unreadable(informer.state);
    if (error === undefined) return [];
    const since = informer.hasSynced ? 'What changes there is not noticed.' : 'No object is synced.';
    return {
      reason: 'ServiceClusterNotReadable',
      message: `${what} cannot be read. ${since} ${refusedRequest(error, 'service')}${isRefusal(error) ? '' : ' It is tried again by itself.'}`,
      actor: 'provider',
    };
  });
}

function kcpTroubles({ kinds, rules, kcp }: Troubled): readonly Problem[] {
  const filtering = rules.filter.namespace !== undefined && kinds.kcp.scope === 'Namespaced' ? [namespaces] : [];
  const resources = [
    kinds.kcp.resource,
    ...filtering,
    ...rules.related.map(({ resources: { kcp: resource } }) => resource),
  ];
  return [...new Set(resources.flatMap((resource) => kcp.handles(resource)))].flatMap((handle) => {
    const error = unreadable(handle.state);
    if (error === undefined) return [];
    const name = resourceName(handle.spec.resource);
    const remedy = isRefusal(error)
      ? `The APIExport has to serve or claim ${name}, and the agent needs the right to its content.`
      : `${handle.hasSynced ? `Changes of ${name} are not noticed.` : `Nothing that needs ${name} is synced, in any workspace of this endpoint.`} The operator has to see why kcp does not answer; it is tried again by itself.`;
    return { reason: 'WorkspacesNotReadable', message: `${refusedRequest(error, 'kcp')} ${remedy}`, actor: 'operator' };
  });
}

function relatedTroubles({ watches }: Troubled): readonly Problem[] {
  return watches.unreadable.map(({ resource, error }) => {
    const remedy = isRefusal(error)
      ? 'Grant list and watch.'
      : 'The provider must find out why the service cluster does not answer. Hawser tries again by itself.';
    return {
      reason: 'RelatedNotWatched',
      message: `Changes of ${resourceName(resource)} are noticed only when the objects that they belong to change. ${refusedRequest(error, 'service')} ${remedy}`,
      actor: 'provider',
    };
  });
}

function stateTroubles({ isStateLeft, namespace }: Troubled): readonly Problem[] {
  if (!isStateLeft) return [];
  return [
    {
      reason: 'StateSecretsStay',
      message: `The state Secrets of deleted objects stay in namespace "${namespace}", because the right to delete them is missing. Grant delete on Secrets there.`,
      actor: 'operator',
    },
  ];
}
