import { conditionTypes } from '@hawser/kube-bind';

/** Condition on an APIServiceBinding, ours: False while unbinding waits for something, or its policy cannot be understood. */
export const UNBOUND = conditionTypes.unbound;

/** Reasons of {@link UNBOUND}. Cause, actor and remedy of each are in `@hawser/reasons`. */
export type UnboundReason =
  /** Policy Block: users have to delete their objects first. */
  | 'ObjectsLeft'
  /** Policy Delete: goes on by itself. */
  | 'DeletingObjects'
  /** Policy Delete: copies cannot be deleted as long as the provider does not answer. */
  | 'ProviderUnavailable'
  /** The annotation has none of the values that are known; it counts as Block. */
  | 'UnknownUnbindPolicy'
  /** The finalizer does not stay on the binding, so the policy has no effect. */
  | 'WritesUndone'
  /** The consumer's API server refuses what unbinding needs. */
  | 'ForbiddenOnConsumer';

/** Reason of the Event when an unbinding was broken open. */
export const OBJECTS_ORPHANED = 'ObjectsOrphaned';
