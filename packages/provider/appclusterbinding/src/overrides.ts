import { isFields } from '@hawser/json';
import { type Fields, isEmpty } from './fields.js';

/** A container of a pod, reduced to the fields in use. */
export interface Container extends Fields {
  readonly name: string;
  readonly image?: string | undefined;
}

export type Merged =
  | { readonly ok: true; readonly container: Container }
  /** The defect, without the object's name. */
  | { readonly ok: false; readonly problem: string };

/** How an override merges with the container's field, as in a strategic merge patch. */
type Strategy =
  | { readonly kind: 'replace' }
  /** Field by field. */
  | { readonly kind: 'merge' }
  /** A list whose entries have this field as their key. */
  | { readonly kind: 'byKey'; readonly key: string }
  | { readonly kind: 'append' };

const replace: Strategy = { kind: 'replace' };
const merge: Strategy = { kind: 'merge' };

const strategies: ReadonlyMap<string, Strategy> = new Map<string, Strategy>([
  ...[
    'image',
    'imagePullPolicy',
    'command',
    'args',
    'workingDir',
    'livenessProbe',
    'readinessProbe',
    'startupProbe',
    'lifecycle',
    'terminationMessagePath',
    'terminationMessagePolicy',
  ].map((field) => [field, replace] as const),
  ...['resources', 'securityContext'].map((field) => [field, merge] as const),
  ['env', { kind: 'byKey', key: 'name' }],
  ['volumeMounts', { kind: 'byKey', key: 'mountPath' }],
  ['ports', { kind: 'byKey', key: 'containerPort' }],
  ['envFrom', { kind: 'append' }],
]);

/**
 * Merges the overrides of the AppClusterBinding into the konnector's container (spec/klutch.md §4). Empty values
 * override nothing. Never throws.
 */
export function mergeContainer(container: Container, overrides: Fields | undefined): Merged {
  const merged: Record<string, unknown> = { ...container };
  for (const [field, value] of Object.entries(overrides ?? {})) {
    if (isEmpty(value) || (field === 'name' && value === container.name)) continue;
    const strategy = strategies.get(field);
    if (strategy === undefined)
      return {
        ok: false,
        problem: `spec.konnector.overrides has a field "${field.slice(0, 64)}", which cannot be overridden; these can: ${[...strategies.keys()].sort().join(', ')}.`,
      };
    const result = mergeField(strategy, merged[field], value);
    if (result === undefined)
      return { ok: false, problem: `spec.konnector.overrides.${field} is not what a container has there.` };
    merged[field] = result;
  }
  return { ok: true, container: merged as Container };
}

/** Undefined: the value does not fit. */
function mergeField(strategy: Strategy, before: unknown, value: unknown): unknown {
  switch (strategy.kind) {
    case 'replace':
      return value;
    case 'merge':
      return isFields(value) ? mergeFields(isFields(before) ? before : {}, value) : undefined;
    case 'append':
      return Array.isArray(value) ? [...asList(before), ...(value as readonly unknown[])] : undefined;
    case 'byKey':
      return mergeList(strategy.key, asList(before), value);
  }
}

function mergeFields(before: Fields, value: Fields): Fields {
  const merged: Record<string, unknown> = { ...before };
  for (const [key, inner] of Object.entries(value)) {
    const current = Object.hasOwn(before, key) ? before[key] : undefined;
    Object.defineProperty(merged, key, {
      value: isFields(inner) && isFields(current) ? mergeFields(current, inner) : inner,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return merged;
}

function mergeList(key: string, before: readonly unknown[], value: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) || !value.every((entry): entry is Fields => isFields(entry) && entry[key] !== undefined))
    return undefined;
  const merged = [...before];
  for (const entry of value) {
    const index = merged.findIndex((other) => isFields(other) && other[key] === entry[key]);
    // An entry replaces another as a whole: it cannot have both a value and a source.
    if (index === -1) merged.push(entry);
    else merged[index] = entry;
  }
  return merged;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
