import { conditionTypes } from '@hawser/kube-bind';

/** Our condition on an APIServiceBinding: False while unbinding waits, or its policy is unknown. */
export const UNBOUND = conditionTypes.unbound;

/** Reasons of {@link UNBOUND}. Cause, actor and remedy of each are in `@hawser/reasons`. */
export type UnboundReason =
  /** Policy Block: users must delete their objects first. */
  | 'ObjectsLeft'
  /** Policy Delete: goes on by itself. */
  | 'DeletingObjects'
  /** Policy Delete: copies cannot be deleted while the provider does not answer. */
  | 'ProviderUnavailable'
  /** The annotation has an unknown value; it counts as Block. */
  | 'UnknownUnbindPolicy'
  /** The finalizer does not stay on the binding, so the policy has no effect. */
  | 'WritesUndone'
  /** The consumer's API server refuses a request of unbinding. */
  | 'ForbiddenOnConsumer';

/** Reason of the Event when a person broke an unbinding open. */
export const OBJECTS_ORPHANED = 'ObjectsOrphaned';
