import type { KubeObject } from '@hawser/client';

/** What the tests watch. */
export interface Thing extends KubeObject {
  readonly spec: { readonly value: number };
}
