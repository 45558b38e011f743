import { type Resource, resourceName } from '@hawser/client';
import { claimedKind } from '@hawser/claimedresources';

import type { ResourceReport } from './report.js';

const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = { configmaps: ['cm'], serviceaccounts: ['sa'] };

/** The report on a claimed resource of which nothing was read. */
export function unreadClaimed(resource: Resource): ResourceReport {
  const kind = claimedKind(resource);
  const { resource: plural } = resource;
  return {
    name: resourceName(resource),
    names:
      kind === undefined
        ? undefined
        : { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames: SHORT_NAMES[plural] },
    namespaced: true,
    standing: 'inStep',
    objects: [],
  };
}
