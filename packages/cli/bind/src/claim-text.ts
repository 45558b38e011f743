import type { PermissionClaim } from '@hawser/klutch';

/** A claim of Klutch in words, as far as konnectors act on it. Equal claims have equal texts. */
export function claimText({ group = '', resource, selector = {} }: PermissionClaim): string {
  const { names = ['*'], namespaces = ['*'], owner } = selector;
  const all = (list: readonly string[]): boolean => list.length === 0 || list.includes('*');
  const which = all(names) ? 'all' : names.join(', ');
  const where = all(namespaces) ? 'all namespaces' : namespaces.join(', ');
  const direction =
    owner === undefined
      ? 'on whichever side they are made'
      : owner === 'Provider'
        ? 'made by the provider'
        : 'made by the consumer';
  return `${group === '' ? resource : `${resource}.${group}`} (${which}; in ${where}; ${direction})`;
}
