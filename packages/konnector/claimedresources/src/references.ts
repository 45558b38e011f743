import type { KubeObject } from '@hawser/client';

import { type Found, type Path, follow, sharedSteps } from './path.js';

/** An object of the claimed resource that another object names. Without a namespace: that name in every namespace. */
export interface Named {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Paths of a reference to names and namespaces of claimed objects. */
export interface ReferencePaths {
  readonly name: Path;
  readonly namespace?: Path | undefined;
}

/**
 * Collects the names in `object`. Names and namespaces in the same list element belong together, as do those of two
 * lists by position; a single namespace goes with every name. A name without a namespace means the namespace of
 * `object`, or every namespace if it has none.
 */
export function namedBy(object: KubeObject, paths: ReferencePaths): readonly Named[] {
  const own = object.metadata.namespace === '' ? undefined : object.metadata.namespace;
  const names = follow(paths.name, object);
  if (paths.namespace === undefined) return names.map(({ value }) => ({ namespace: own, name: value }));
  const shared = sharedSteps(paths.name, paths.namespace);
  const namespaces = groupBy(follow(paths.namespace, object), shared);
  return [...groupBy(names, shared)].flatMap(([group, members]) => {
    const partners = namespaces.get(group) ?? [];
    return members.flatMap(({ value: name }, position): readonly Named[] => {
      if (partners.length === 0) return [{ namespace: own, name }];
      const partner = partners.length === 1 ? partners[0] : partners[position];
      return partner === undefined ? [] : [{ namespace: partner.value, name }];
    });
  });
}

function groupBy(found: readonly Found[], steps: number): ReadonlyMap<string, readonly Found[]> {
  return Map.groupBy(found, ({ at }) => JSON.stringify(at.slice(0, steps)));
}
