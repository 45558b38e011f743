import type { KubeObject } from '@hawser/client';
import { everyLabel, type LabelSelector, labelRules, parseLabelSelector } from '@hawser/selector';
import { annotations } from './metadata.js';

/** Selects objects of a binding's APIs, within its scope. */
export type ObjectSelector =
  | { readonly kind: 'all' }
  | { readonly kind: 'labels'; readonly labels: LabelSelector }
  /** Selects nothing. */
  | { readonly kind: 'invalid'; readonly message: string };

const ALL: ObjectSelector = { kind: 'all' };
const known = new WeakMap<KubeObject, ObjectSelector>();

/**
 * Reads `hawser.dev/object-selector` of a ClusterBinding or Binding, a label selector in the syntax of `kubectl
 * --selector`. Without the annotation it selects all objects, as in the contract. An empty one is invalid: a template
 * that lost its value would otherwise select everything.
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

/** Whether some set of labels satisfies both selectors. */
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
