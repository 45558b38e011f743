import { resourceName } from '@hawser/client';
import type { APIServiceBinding, APIServiceExport } from '@hawser/kube-bind';

import { type AskedClaim, type Claim, type Claimable, type ReadClaims, readClaims } from './claim.js';

/** A served binding, and its export. */
export interface BoundExport {
  readonly name: string;
  readonly binding: APIServiceBinding;
  readonly apiExport: APIServiceExport;
}

/** A binding and its accepted claims. */
export interface ClaimingBinding extends Pick<BoundExport, 'name'> {
  readonly apiExport: Pick<APIServiceExport, 'spec'>;
  readonly claims: readonly AskedClaim[];
}

export interface ClaimPlan {
  /** By binding. */
  readonly readings: ReadonlyMap<string, ReadClaims>;
  /** By claimed resource: claims of several bindings are served together. */
  readonly wanted: ReadonlyMap<string, readonly Claim[]>;
}

/** Plans what to serve for the claims of a connection. Pure. */
export function planClaims(bindings: readonly ClaimingBinding[], claimable: Claimable): ClaimPlan {
  const readings = new Map<string, ReadClaims>();
  const wanted = new Map<string, readonly Claim[]>();
  for (const { name, claims, apiExport } of bindings) {
    const reading = readClaims(name, claims, apiExport, claimable);
    readings.set(name, reading);
    for (const claim of reading.claims)
      wanted.set(resourceName(claim.resource), [...(wanted.get(resourceName(claim.resource)) ?? []), claim]);
  }
  return { readings, wanted };
}
