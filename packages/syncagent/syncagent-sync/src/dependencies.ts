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
  /** With no name: only those with these labels matter. */
  readonly matches?: ((labels: Labels) => boolean) | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** Of one primary for one thing; of one with more, every object of the kind matters. */
const MOST_SELECTORS = 16;

/** Which primary objects have looked at what, so that a change finds them. */
export interface Dependencies {
  /** Replaces what is known of this primary. */
  set(primary: string, looked: readonly Dependency[]): void;
  /** Adds to what is known, before it is read: what changes after that is not missed. */
  add(primary: string, dependency: Dependency): void;
  forget(primary: string): void;
  /** The primaries that looked at this object, or at a list that it belongs to. */
  affectedBy(
    changed: Omit<Dependency, 'matches'> & {
      readonly name: string;
      /** As they are and as they were, where that is known. */ readonly labels?:
        readonly (Labels | undefined)[] | undefined;
    },
  ): ReadonlySet<string>;
}

export function createDependencies(): Dependencies {
  const byPrimary = new Map<string, Set<string>>();
  /** Primaries by what they looked at, with the labels that matter; undefined: whatever the labels. */
  const byThing = new Map<string, Map<string, readonly ((labels: Labels) => boolean)[] | undefined>>();
  const forget = (primary: string): void => {
    for (const thing of byPrimary.get(primary) ?? []) {
      const primaries = byThing.get(thing);
      primaries?.delete(primary);
      if (primaries?.size === 0) byThing.delete(thing);
    }
    byPrimary.delete(primary);
  };
  const add = (primary: string, dependency: Dependency): void => {
    const thing = idOf(dependency);
    const primaries = byThing.get(thing) ?? new Map<string, readonly ((labels: Labels) => boolean)[] | undefined>();
    byThing.set(thing, primaries);
    const known = primaries.has(primary) ? primaries.get(primary) : [];
    primaries.set(
      primary,
      known === undefined || dependency.matches === undefined || known.length >= MOST_SELECTORS
        ? undefined
        : [...known, dependency.matches],
    );
    const things = byPrimary.get(primary);
    if (things === undefined) byPrimary.set(primary, new Set([thing]));
    else things.add(thing);
  };
  return {
    set(primary, looked) {
      forget(primary);
      for (const dependency of looked) add(primary, dependency);
    },
    add,
    forget,
    affectedBy(changed) {
      const things = [
        changed,
        { ...changed, name: undefined },
        { ...changed, namespace: undefined, name: undefined },
      ].map(idOf);
      const isMeant = (selectors: readonly ((labels: Labels) => boolean)[] | undefined): boolean =>
        selectors === undefined ||
        changed.labels === undefined ||
        changed.labels.some((labels) => selectors.some((matches) => matches(labels ?? {})));
      return new Set(
        things.flatMap((thing) =>
          [...(byThing.get(thing) ?? [])].filter(([, selectors]) => isMeant(selectors)).map(([primary]) => primary),
        ),
      );
    },
  };
}

function idOf({ side, cluster, resource: { group, resource }, namespace, name }: Dependency): string {
  return `${side}|${cluster ?? ''}|${resource}.${group}|${namespace ?? ''}|${name ?? '*'}`;
}
