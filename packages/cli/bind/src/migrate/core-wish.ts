import type { MigrationObserved, MigrationWish } from './observe.js';

/** The same binding as a wish of `hawser bind` in the terms of `core.kbind.io`. */
export function coreWish(wish: MigrationWish, { apis }: MigrationObserved) {
  return { ...wish, namespace: undefined, apis: apis.map(({ name }) => name) };
}

/** The CRDs do not count as foreign: they are about to change hands. */
export function withoutForeign({ core: observed, apis }: MigrationObserved): MigrationObserved['core'] {
  const given = new Set(apis.filter(({ owner }) => owner !== undefined).map(({ name }) => name));
  return { ...observed, installed: new Map([...observed.installed].filter(([name]) => !given.has(name))) };
}
