import type { Resource } from '@hawser/client';
import { apiGroup, version } from './group.js';

const own = (resource: string): Resource => ({ group: apiGroup, version, resource });

/** The kinds of `core.kbind.io` (spec/kbind-v2.md §2). */
export const resources = {
  connections: own('connections'),
  clusterBindings: own('clusterbindings'),
  bindings: own('bindings'),
} as const satisfies Record<string, Resource>;
