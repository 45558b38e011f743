import { type KubeObject, isApiError, statusPatch } from '@hawser/client';
import type { Efforts } from '@hawser/controller';
import type { BindingStatuses, StatusWritten } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type NewCondition,
  getCondition,
  releasedBecause,
  removeCondition,
  setBindingSummary,
  setCondition,
  unbindPolicyOf,
} from '@hawser/kube-bind';

import { type ActorOptions, act } from './act.js';
import { type Decision, decide, finalizerUndone, forbidden, hasFinalizer } from './decide.js';
import { observe } from './observe.js';
import { UNBOUND } from './reasons.js';

export interface SettleOptions extends ActorOptions {
  /** Of this run: remembers writes that do not last. */
  readonly statuses: BindingStatuses;
  /** Of this run, by uid: finalizers that did not stay. */
  readonly holds: Efforts;
}

/** Result of a pass over one binding. */
export interface Settled {
  /** State after the pass; undefined: it is gone, or another writer has changed it. */
  readonly binding: APIServiceBinding | undefined;
  readonly requeueAfterMs: number | undefined;
}

/**
 * Makes one pass over a binding without a controller: observe, decide, carry out. Throws the first error of a request,
 * after it was reported.
 */
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

/** Reports a decision, then carries it out; the finalizer comes first. */
export async function carryOut(
  options: SettleOptions,
  binding: APIServiceBinding,
  decision: Decision,
  signal: AbortSignal,
): Promise<Settled> {
  if (decision.actions.some(({ type }) => type === 'addFinalizer')) return hold(options, binding, decision, signal);
  const { actions, condition, requeueAfterMs } = decision;
  const told = await tell(options, binding, condition, signal);
  let current = told.binding;
  // The user has changed the policy meanwhile: decide about that first.
  if (current !== undefined && !sameWish(current, binding)) return { binding: current, requeueAfterMs: 0 };
  for (const action of actions) if (current !== undefined) current = await act(options, current, action, signal);
  return { binding: current, requeueAfterMs: sooner(requeueAfterMs, told) };
}

/** Reports a missing right, if that is the failure. */
export async function tellForbidden(
  options: SettleOptions,
  binding: APIServiceBinding,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (isApiError(error, 'Forbidden', 'Unauthorized'))
    await tell(options, binding, forbidden(`${error.status?.message ?? error.message}.`), signal);
}

/**
 * Sets the finalizer before any report: the report depends on whether it stays. One that does not stay is set again
 * with growing delays.
 */
async function hold(
  options: SettleOptions,
  binding: APIServiceBinding,
  decision: Decision,
  signal: AbortSignal,
): Promise<Settled> {
  const id = binding.metadata.uid ?? '';
  const waitMs = options.holds.waits(id);
  const held = waitMs > 0 ? binding : await act(options, binding, { type: 'addFinalizer' }, signal);
  if (held === undefined) return { binding: undefined, requeueAfterMs: undefined };
  const stays = hasFinalizer(held.metadata.finalizers);
  if (waitMs === 0 && !stays) options.holds.done(id);
  const { condition, requeueAfterMs } = stays ? decision : finalizerUndone(held);
  const told = await tell(options, held, condition, signal);
  return { binding: told.binding, requeueAfterMs: sooner(requeueAfterMs, told) };
}

/** A report that could not be written is written later, whatever happens until then. */
function sooner(requeueAfterMs: number | undefined, { waitMs }: StatusWritten): number | undefined {
  return waitMs === 0 ? requeueAfterMs : Math.min(requeueAfterMs ?? Infinity, waitMs);
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

/** Writes the condition if it differs and may be written again; records an Event when the reason changes. */
async function tell(
  { statuses, now: time, events }: SettleOptions,
  binding: APIServiceBinding,
  condition: NewCondition | undefined,
  signal: AbortSignal,
): Promise<StatusWritten> {
  const now = time();
  const told = await statuses.write(binding, (status) => nextStatus(status, condition, now), signal);
  const {
    apiVersion,
    kind,
    metadata: { name, uid },
  } = binding;
  if (
    told.binding !== undefined &&
    told.binding !== binding &&
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
  return told;
}
