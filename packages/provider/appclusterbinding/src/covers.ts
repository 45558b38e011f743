import { isFields } from '@hawser/json';
import { isEmpty } from './fields.js';

/**
 * Whether `found` contains everything of `wanted`. Ignores additions of the server, a webhook or a person, and the
 * notation of quantities. Pairs list entries by name, or by position without names. Used on stored objects, so server
 * defaults are no difference.
 */
export function covers(found: unknown, wanted: unknown, path: readonly string[] = []): boolean {
  if (isEmpty(wanted)) return isEmpty(found);
  if (Array.isArray(wanted)) return Array.isArray(found) && coversList(found, wanted, path);
  if (isFields(wanted))
    return (
      isFields(found) &&
      Object.entries(wanted).every(([key, value]) =>
        covers(Object.hasOwn(found, key) ? found[key] : undefined, value, [...path, key]),
      )
    );
  return found === wanted || (isQuantity(path) && quantity(found) === quantity(wanted));
}

function coversList(found: readonly unknown[], wanted: readonly unknown[], path: readonly string[]): boolean {
  const name = (entry: unknown): unknown => (isFields(entry) ? entry['name'] : undefined);
  if (wanted.every((entry) => typeof name(entry) === 'string') && new Set(wanted.map(name)).size === wanted.length) {
    return wanted.every((entry) =>
      covers(
        found.find((other) => name(other) === name(entry)),
        entry,
        path,
      ),
    );
  }
  return found.length === wanted.length && wanted.every((entry, index) => covers(found[index], entry, path));
}

function isQuantity(path: readonly string[]): boolean {
  return path.includes('limits') || path.includes('requests');
}

const scales: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Parses quantities like Kubernetes: `500m`, `0.5` and `1Gi`; another value is compared as it is. */
function quantity(value: unknown): unknown {
  const parts = /^([+-]?[0-9.]+(?:e[+-]?\d+)?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$/u.exec(String(value));
  if (parts === null) return value;
  // Digits beyond these are rounding.
  return (Number(parts[1]) * (scales[parts[2] ?? ''] ?? 1)).toPrecision(12);
}
