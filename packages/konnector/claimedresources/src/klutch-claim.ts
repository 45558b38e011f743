import type { PermissionClaim } from '@hawser/klutch';

import type { AskedClaim } from './claim.js';
import type { Side } from './marks.js';

const OWNERS: Readonly<Record<string, Side | undefined>> = { Provider: 'provider', Consumer: 'consumer' };

/**
 * Converts a Klutch claim (`spec/klutch.md §4`): names, namespaces and owner count; `*` or nothing means all. Klutch
 * itself ignores its other options.
 */
export function readKlutchClaim({ group = '', resource, selector = {} }: PermissionClaim): AskedClaim {
  const { names = ['*'], namespaces = ['*'], owner = '' } = selector;
  const all = names.length === 0 || names.includes('*');
  return {
    group,
    resource,
    selector: all ? { labelSelector: {} } : { namedResources: names.map((name) => ({ name })) },
    owner: OWNERS[owner],
    namespaces: namespaces.length === 0 || namespaces.includes('*') ? undefined : namespaces,
  };
}
