import type { KubeObject } from '@hawser/client';
import type { Decision } from '@hawser/controller';

export interface ObservedRelease {
  readonly crd: KubeObject | undefined;
  /** For each binding that owns the CRD: whether it still holds the objects. */
  readonly standing: readonly boolean[];
}

export interface ReleaseAction {
  readonly type: 'release';
  readonly crd: KubeObject;
}

/** Releases objects once no binding that owns their CRD holds them. A CRD without an owner is not ours. Pure. */
export function decideRelease({ crd, standing }: ObservedRelease): Decision<ReleaseAction> {
  if (crd === undefined || standing.length === 0 || standing.includes(true)) return { actions: [] };
  return { actions: [{ type: 'release', crd }] };
}
