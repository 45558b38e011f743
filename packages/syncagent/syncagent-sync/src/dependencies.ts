import type { Resource } from '@hawser/client';

import type { SideName } from './problem-of.js';

/** An input for resolving a primary object: one object, or all objects of a resource, in a namespace or everywhere. */
export interface Dependency {
  readonly side: SideName;
  /** Undefined on the service cluster. */
  readonly cluster: string | undefined;
  readonly resource: Pick<Resource, 'group' | 'resource'>;
  /** Undefined with no name: in all namespaces. */
  readonly namespace?: string | undefined;
  /** Undefined: any. */
  readonly name?: string | undefined;
  /** With no name: selects the labels that matter. */
  readonly matches?: ((labels: Labels) => boolean) | undefined;
}

type Labels = Readonly<Record<string, string>>;

/** Limit of selectors per primary and input; beyond it every object of the kind matters. */
const MOST_SELECTORS = 16;

/** Maps inputs to the primary objects that read them, to find these after a change. */
export interface Dependencies {
  /** Replaces the inputs of this primary. */
  set(primary: string, looked: readonly Dependency[]): void;
  /** Adds an input before it is read: a later change is then not missed. */
  add(primary: string, dependency: Dependency): void;
  forget(primary: string): void;
  /** The primaries that read this object, or a list that contains it. */
  affectedBy(
    changed: Omit<Dependency, 'matches'> & {
      readonly name: string;
      /** Labels now and before, if known. */ readonly labels?: readonly (Labels | undefined)[] | undefined;
    },
  ): ReadonlySet<string>;
}

export function createDependencies(): Dependencies {
  const byPrimary = new Map<string, Set<string>>();
  /** Input → primaries, with the labels that matter; undefined: any labels. */
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
