import type { Subscription } from '@hawser/informer';
import type { SchemaAnswer } from '@hawser/kube-bind';

/**
 * Outcomes of the schemas of a connection: written by the installer of CRDs, read by the reporter to the provider. By
 * binding and resource (`databases.example.com`), since two bindings may name one resource and only one has it.
 */
export interface SchemaOutcomes {
  get(binding: string, resource: string): SchemaAnswer | undefined;
  set(binding: string, resource: string, answer: SchemaAnswer): void;
  /** The binding is not served any more. */
  forget(binding: string): void;
  /** Calls the listener when an outcome has changed. */
  onChange(listener: (binding: string) => void): Subscription;
}

export function createSchemaOutcomes(): SchemaOutcomes {
  const known = new Map<string, Map<string, SchemaAnswer>>();
  const listeners = new Set<(binding: string) => void>();
  return {
    get: (binding, resource) => known.get(binding)?.get(resource),
    set(binding, resource, answer) {
      const answers = known.get(binding) ?? new Map<string, SchemaAnswer>();
      known.set(binding, answers);
      const before = answers.get(resource);
      answers.set(resource, answer);
      if (before !== undefined && sameAnswer(before, answer)) return;
      for (const listener of [...listeners]) listener(binding);
    },
    forget: (binding) => {
      known.delete(binding);
    },
    onChange(listener) {
      listeners.add(listener);
      return {
        close: () => {
          listeners.delete(listener);
        },
      };
    },
  };
}

function sameAnswer(a: SchemaAnswer, b: SchemaAnswer): boolean {
  if (a.kind !== b.kind || a.hash !== b.hash) return false;
  return a.kind === 'applied' || b.kind === 'applied' || (a.reason === b.reason && a.message === b.message);
}
