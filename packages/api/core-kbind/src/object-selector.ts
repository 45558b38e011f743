import type { KubeObject } from '@hawser/client';
import { everyLabel, type LabelSelector, labelRules, parseLabelSelector } from '@hawser/selector';
import { annotations } from './metadata.js';

/** Which objects of its APIs a binding is for, among those in its scope. */
export type ObjectSelector =
  | { readonly kind: 'all' }
  | { readonly kind: 'labels'; readonly labels: LabelSelector }
  /** Selects nothing. */
  | { readonly kind: 'invalid'; readonly message: string };

const ALL: ObjectSelector = { kind: 'all' };
const known = new WeakMap<KubeObject, ObjectSelector>();

/**
 * What `hawser.dev/object-selector` on a ClusterBinding or Binding says: a label selector as `kubectl --selector` takes it. Without the annotation all objects are selected, as in the contract. An empty one is invalid: it would select
 * everything where a template has lost its value.
 */
export function objectSelector(binding: KubeObject): ObjectSelector {
  const before = known.get(binding);
  if (before !== undefined) return before;
  const read = readSelector(binding.metadata.annotations?.[annotations.objectSelector]);
  known.set(binding, read);
  return read;
}

/** Whether the selector selects an object with these labels. */
export function isSelectedBy(selector: ObjectSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  return selector.kind === 'all' || (selector.kind === 'labels' && selector.labels.matches(labels));
}

/** Whether some labels are selected by both. */
export function selectorsMeet(a: ObjectSelector, b: ObjectSelector): boolean {
  if (a.kind === 'invalid' || b.kind === 'invalid') return false;
  const labelsOf = (one: typeof a): LabelSelector => (one.kind === 'labels' ? one.labels : everyLabel);
  return labelsOf(a).mayMeet(labelsOf(b));
}

function readSelector(text: string | undefined): ObjectSelector {
  if (text === undefined) return ALL;
  if (text.trim() === '') return { kind: 'invalid', message: 'it is empty' };
  try {
    return { kind: 'labels', labels: parseLabelSelector(text, labelRules) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'invalid', message: error.message };
    throw error;
  }
}
