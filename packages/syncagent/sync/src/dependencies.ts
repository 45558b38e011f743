import type { Resource } from '@hawser/client';

import type { SideName } from './problem-of.js';

/** Something that a primary object was resolved from: one object, or all objects of a resource, in a namespace or everywhere. */
export interface Dependency {
  readonly side: SideName;
  /** Undefined on the service cluster. */
  readonly cluster: string | undefined;
  readonly resource: Pick<Resource, 'group' | 'resource'>;
  /** Undefined with no name: in all namespaces. */
  readonly namespace?: string | undefined;
  /** Undefined: any. */
  readonly name?: string | undefined;
}

/** Which primary objects have looked at what, so that a change finds them. */
export interface Dependencies {
  /** Replaces what is known of this primary. */
  set(primary: string, looked: readonly Dependency[]): void;
  forget(primary: string): void;
  /** The primaries that looked at this object, or at a list that it belongs to. */
  affectedBy(changed: Dependency & { readonly name: string }): ReadonlySet<string>;
}

export function createDependencies(): Dependencies {
  const byPrimary = new Map<string, readonly string[]>();
  const byThing = new Map<string, Set<string>>();
  const forget = (primary: string): void => {
    for (const thing of byPrimary.get(primary) ?? []) {
      const primaries = byThing.get(thing);
      primaries?.delete(primary);
      if (primaries?.size === 0) byThing.delete(thing);
    }
    byPrimary.delete(primary);
  };
  return {
    set(primary, looked) {
      forget(primary);
      if (looked.length === 0 || globalThis.hawserPlanted?.has('RE-19') === true) return;
      const things = [...new Set(looked.map(idOf))];
      byPrimary.set(primary, things);
      for (const thing of things) {
        const primaries = byThing.get(thing);
        if (primaries === undefined) byThing.set(thing, new Set([primary]));
        else primaries.add(primary);
      }
    },
    forget,
    affectedBy(changed) {
      const things = [changed, { ...changed, name: undefined }, { ...changed, namespace: undefined, name: undefined }].map(idOf);
      return new Set(things.flatMap((thing) => [...(byThing.get(thing) ?? [])]));
    },
  };
}

function idOf({ side, cluster, resource: { group, resource }, namespace, name }: Dependency): string {
  return `${side}|${cluster ?? ''}|${resource}.${group}|${namespace ?? ''}|${name ?? '*'}`;
}
