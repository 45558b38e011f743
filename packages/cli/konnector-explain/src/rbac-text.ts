import { rbacText as textOf } from '@hawser/preview';

import type { SideRights } from './explain-rights.js';

/** Roles as YAML documents for kubectl, with the difference as comments. */
export function rbacText(sides: readonly SideRights[]): string {
  return textOf(
    sides,
    ({ side, server }) => `What a konnector needs on the ${side}${server === undefined ? '' : ` ${server}`}.`,
  );
}
