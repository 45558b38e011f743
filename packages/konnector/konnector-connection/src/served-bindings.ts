import type { Subscription } from '@hawser/informer';

/** The bindings, or the bundles, (by name) that a connection serves. At most one connection at a time serves each. */
export interface ServedBindings {
  has(name: string): boolean;
  names(): readonly string[];
  /** Calls the listener after each change. It does not replay earlier ones. */
  onChange(listener: (name: string, change: 'joined' | 'left') => void): Subscription;
}

/** The writable side of {@link ServedBindings}, for its owner. */
export interface MutableServedBindings extends ServedBindings {
  join(name: string): void;
  leave(name: string): void;
}

/** An empty set of names. */
export function createServedBindings(): MutableServedBindings {
  const names = new Set<string>();
  const listeners = new Set<(name: string, change: 'joined' | 'left') => void>();
  const notify = (name: string, change: 'joined' | 'left'): void => {
    for (const listener of [...listeners]) listener(name, change);
  };
  return {
    has: (name) => names.has(name),
    names: () => [...names],
    onChange(listener) {
      listeners.add(listener);
      return {
        close: () => {
          listeners.delete(listener);
        },
      };
    },
    join(name) {
      if (names.has(name)) return;
      names.add(name);
      notify(name, 'joined');
    },
    leave(name) {
      if (names.delete(name)) notify(name, 'left');
    },
  };
}
