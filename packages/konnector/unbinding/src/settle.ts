import { type KubeObject, isApiError, statusPatch } from '@hawser/client';
import type { Clock, Random } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type NewCondition,
  commitStatus,
  getCondition,
  releasedBecause,
  removeCondition,
  resources,
  setBindingSummary,
  setCondition,
  unbindPolicyOf,
} from '@hawser/kube-bind';

import { type ActorOptions, act } from './act.js';
import { type Decision, decide, finalizerUndone, forbidden, hasFinalizer } from './decide.js';
import { observe } from './observe.js';
import { UNBOUND } from './reasons.js';

export interface SettleOptions extends ActorOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** How a pass over one binding has ended. */
export interface Settled {
  /** As it stands after the pass; undefined: gone, or changed by somebody else meanwhile. */
  readonly binding: APIServiceBinding | undefined;
  readonly requeueAfterMs: number | undefined;
}

/** One pass over a binding without a controller: observe, decide, carry out. Throws the first error of a request, after it was told. */
export async function settle(
  options: SettleOptions,
  binding: APIServiceBinding,
  crds: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Settled> {
  try {
    return await carryOut(options, binding, decide(await observe(options.client, binding, crds, signal)), signal);
  } catch (error) {
    await tellForbidden(options, binding, error, signal);
    throw error;
  }
}

/** Whether a decision leaves nothing to write. Pure; `now` only dates conditions. */
export function isCarriedOut(
  { status = {} }: APIServiceBinding,
  { actions, condition }: Decision,
  now: number,
): boolean {
  return actions.length === 0 && statusPatch(status, nextStatus(status, condition, now)) === undefined;
}

/** Says what was decided, and does it: in this order, but for the finalizer. */
export async function carryOut(
  options: SettleOptions,
  binding: APIServiceBinding,
  decision: Decision,
  signal: AbortSignal,
): Promise<Settled> {
  if (decision.actions.some(({ type }) => type === 'addFinalizer')) return hold(options, binding, decision, signal);
  const { actions, condition, requeueAfterMs } = decision;
  let current: APIServiceBinding | undefined = await tell(options, binding, condition, signal);
  // Somebody has changed their mind meanwhile: that has to be decided about first.
  if (current !== undefined && !sameWish(current, binding)) return { binding: current, requeueAfterMs: 0 };
  for (const action of actions) if (current !== undefined) current = await act(options, current, action, signal);
  return { binding: current, requeueAfterMs };
}

/** Says that a right is missing, if that is what failed. */
export async function tellForbidden(
  options: SettleOptions,
  binding: APIServiceBinding,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (isApiError(error, 'Forbidden', 'Unauthorized'))
    await tell(options, binding, forbidden(`${error.status?.message ?? error.message}.`), signal);
}

/** Sets the finalizer before anything is said: whether it stays decides about what there is to say. */
async function hold(
  options: SettleOptions,
  binding: APIServiceBinding,
  decision: Decision,
  signal: AbortSignal,
): Promise<Settled> {
  const held = await act(options, binding, { type: 'addFinalizer' }, signal);
  if (held === undefined) return { binding: undefined, requeueAfterMs: undefined };
  const { condition, requeueAfterMs } = hasFinalizer(held.metadata.finalizers) ? decision : finalizerUndone(held);
  return { binding: await tell(options, held, condition, signal), requeueAfterMs };
}

function sameWish({ metadata: a }: APIServiceBinding, { metadata: b }: APIServiceBinding): boolean {
  return (
    a.deletionTimestamp === b.deletionTimestamp &&
    unbindPolicyOf(a).policy === unbindPolicyOf(b).policy &&
    releasedBecause(a) === releasedBecause(b)
  );
}

function nextStatus(
  status: APIServiceBindingStatus,
  condition: NewCondition | undefined,
  now: number,
): APIServiceBindingStatus {
  if (condition === undefined && getCondition(status.conditions, UNBOUND) === undefined) return status;
  const next =
    condition === undefined
      ? removeCondition(status.conditions, UNBOUND)
      : setCondition(status.conditions, condition, now);
  return { ...status, conditions: setBindingSummary(next, now) };
}

/** Writes the condition, if it differs, and an Event when another reason begins. */
async function tell(
  { client, clock, random, events }: SettleOptions,
  binding: APIServiceBinding,
  condition: NewCondition | undefined,
  signal: AbortSignal,
): Promise<APIServiceBinding | undefined> {
  const now = clock.now();
  const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus => nextStatus(status, condition, now);
  const written = await commitStatus<APIServiceBinding>(client, resources.apiServiceBindings, binding, mutate, {
    clock,
    random,
    signal,
  });
  const {
    apiVersion,
    kind,
    metadata: { name, uid },
  } = binding;
  if (
    written !== undefined &&
    written !== binding &&
    condition?.reason !== undefined &&
    getCondition(binding.status?.conditions, UNBOUND)?.reason !== condition.reason
  ) {
    events.record(
      { apiVersion, kind, name, uid },
      {
        type: condition.reason === 'DeletingObjects' ? 'Normal' : 'Warning',
        reason: condition.reason,
        message: condition.message ?? '',
      },
    );
  }
  return written;
}
