import { type Controller, createController } from '@hawser/controller';
import type { Dialect } from '@hawser/kube-bind';

import { RunningStoredVersions } from './running-storedversions.js';

export interface StoredVersionsOptions {
  /** How long a storage version must have been seen before objects are rewritten: all API servers must have heard of it. Default 10 000 ms. */
  readonly settleMs?: number | undefined;
  /** Default 250. */
  readonly pageSize?: number | undefined;
  /** Objects of one resource that are rewritten at the same time. Default 8. */
  readonly atOnce?: number | undefined;
  /** Of the consumer. */
  readonly dialect: Dialect;
}

const NAME = 'storedversions';

/**
 * When the storage version of a bound CRD has moved, has its objects stored anew and then takes the old versions out of `status.storedVersions`, without which the API server lets no version go.
 * Works on the consumer alone, on CRDs that an APIServiceBinding owns. All its state is in the CRD: interrupted at any point, it begins anew, and what is done costs no write.
 */
export function createStoredVersions(options: StoredVersionsOptions): Controller<'consumer'> {
  return createController<'consumer'>(NAME, async (ctx, scope) => {
    await new RunningStoredVersions(options, NAME, ctx, scope).fill();
  });
}
