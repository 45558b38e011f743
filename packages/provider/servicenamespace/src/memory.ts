import type { KubeObject } from '@hawser/client';
import type { Setup } from '@hawser/controller';
import { UnderWay } from '@hawser/informer';
import { type NamespaceCaches, requestChanged } from './namespace-caches.js';

/** Knowledge of this process beyond its caches. */
export interface Memory {
  readonly underWay: UnderWay;
  /** Uids of APIServiceNamespaces whose owners may not be changed. */
  readonly ownersRefused: Set<string | undefined>;
  /** Uids of cached exports that no longer exist. */
  readonly exportsGone: Set<string>;
}

export function openMemory({ clock, scope }: Setup<'provider'>, { exports }: NamespaceCaches): Memory {
  const exportsGone = new Set<string>();
  const isBack = ({ metadata: { uid = '' } }: KubeObject): void => {
    exportsGone.delete(uid);
  };
  // A backup may restore deleted objects.
  scope.own(
    exports.addHandler({
      onAdd: isBack,
      onUpdate: (before, after) => {
        if (requestChanged(before, after)) isBack(after);
      },
      onDelete: isBack,
    }),
  );
  return { underWay: new UnderWay({ now: () => clock.monotonic() }), ownersRefused: new Set(), exportsGone };
}
