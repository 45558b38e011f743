import { type Result, done } from '@hawser/controller';
import { type APIServiceBinding, conditionTypes } from '@hawser/kube-bind';
import { consentCondition } from './claim-consent.js';
import { type ResourceResult, type WantedConditions, conclude } from './conclude.js';
import { type Decision } from './decide.js';
import { refusalRetryMs } from './decide-crd.js';
import { heldCondition } from './held-schemas.js';
import { namesCondition } from './reserved-names.js';

/** The decision about a binding with an export. */
export type Bind = Extract<Decision, { readonly kind: 'bind' }>;

/** Interval for checking BoundSchemas without a watch on them. */
const pollMs = 60_000;

/**
 * Computes all conditions of a binding whose export was handled: of its schemas, held schemas, names, and claims. Pure.
 */
export function concludeBinding(
  binding: APIServiceBinding,
  { resources, heldClaims, serving }: Pick<Bind, 'resources' | 'heldClaims' | 'serving'>,
  results: readonly ResourceResult[],
): WantedConditions {
  const concluded = conclude(results, serving);
  const held = heldCondition(binding, results);
  const further = [consentCondition(binding, heldClaims), namesCondition(binding, resources), held].filter(
    (condition) => condition !== undefined,
  );
  return {
    set: [...concluded.set, ...further],
    remove: [...concluded.remove, ...(held === undefined ? [conditionTypes.schemaUpdateHeld] : [])],
  };
}

/** Delay of the next look without an event. `watched`: events report changed schemas. Pure. */
export function nextLook(results: readonly ResourceResult[], watched: boolean): Result {
  if (!watched) return { kind: 'requeue', afterMs: pollMs, priority: 'background' };
  return results.some((result) => result.kind !== 'inStep')
    ? { kind: 'requeue', afterMs: refusalRetryMs, priority: 'background' }
    : done;
}
