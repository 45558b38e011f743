import { isFields } from '@hawser/json';
import { redactText } from '@hawser/telemetry';

import { withoutSecrets } from './without-secrets.js';

/** The part of a value that a bundle may hold; undefined: nothing. Shapes name what is kept, and drop all else. */
export type Shape = (value: unknown) => unknown;

/** Placeholder for contents that the bundle does not hold. */
export const LEFT_OUT = '[left out]';

const LONGEST_WORD = 512;
const LONGEST_PROSE = 2_048;

/** A name, a type, a reason, a time. */
export const word: Shape = (value) =>
  typeof value === 'string' ? redactText(value).slice(0, LONGEST_WORD) : undefined;

/** Sentences by other authors. */
export const prose: Shape = (value) => {
  if (typeof value !== 'string') return undefined;
  const text = withoutSecrets(value);
  return text.length > LONGEST_PROSE ? `${text.slice(0, LONGEST_PROSE)}…` : text;
};

/** Numbers and booleans. */
export const plain: Shape = (value) =>
  typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint' ? value : undefined;

/** A number, or a quantity such as `10Gi`. */
export const quantity: Shape = (value) => plain(value) ?? word(value);

/** Only whether the value exists. */
export const mention: Shape = (value) => (value === undefined || value === null ? undefined : LEFT_OUT);

/** Scheme, host, port and path. */
export const address: Shape = (value) => {
  if (typeof value !== 'string') return undefined;
  const url = URL.parse(value);
  return url === null ? LEFT_OUT : withoutSecrets(`${url.protocol}//${url.host}${url.pathname}`);
};

/** At most `most` elements, and how many more there are. */
export function list(item: Shape, most = 200): Shape {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const all: readonly unknown[] = value;
    const items = all.slice(0, most).map(item);
    return all.length > most ? [...items, `${all.length - most} more ${LEFT_OUT}`] : items;
  };
}

/** The named fields, if they exist. */
export function fields(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value) => {
    if (!isFields(value)) return undefined;
    const kept = Object.entries(shapes).flatMap(([key, shape]) => {
      const field = Object.hasOwn(value, key) ? shape(value[key]) : undefined;
      return field === undefined ? [] : [[key, field] as const];
    });
    return Object.fromEntries(kept);
  };
}

/** A map whose keys are names. */
export function entries(item: Shape, most = 100): Shape {
  return (value) => {
    if (!isFields(value)) return undefined;
    const all = Object.entries(value);
    const kept: (readonly [string, unknown])[] = all.slice(0, most).map(([key, one]) => [String(word(key)), item(one)]);
    if (all.length > most) kept.push(['…', `${all.length - most} more ${LEFT_OUT}`]);
    return Object.fromEntries(kept);
  };
}
