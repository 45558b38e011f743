import type { KubeObject } from '@hawser/client';

/** Object that the tests watch. */
export interface Thing extends KubeObject {
  readonly spec: { readonly value: number };
}
