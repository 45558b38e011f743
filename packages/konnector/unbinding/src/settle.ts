import { type Client, type KubeObject, getIfExists, isApiError, statusPatch } from '@hawser/client';
import type { Random } from '@hawser/clock';
import type { Efforts } from '@hawser/controller';
import type { BindingStatuses, StatusWritten } from '@hawser/konnector-connection';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type NewCondition,
  getCondition,
  releasedBecause,
  removeCondition,
  resources,
  setBindingSummary,
  setCondition,
  unbindPolicyOf,
} from '@hawser/kube-bind';

import { type ActorOptions, act } from './act.js';
import {
  type Action,
  type Decision,
  decide,
  finalizerUndone,
  forbidden,
  hasFinalizer,
  needsObjects,
} from './decide.js';
import { listServed } from './live.js';
import { observe } from './observe.js';
import { UNBOUND } from './reasons.js';

/** Until the cache shows what a live read has shown: between 80 and 120 % of it. */
const STALE_MS = 2_000;

export interface SettleOptions extends ActorOptions {
  /** Of this run: remembers writes that do not last. */
  readonly statuses: BindingStatuses;
  readonly random: Random;
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
    await reportForbidden(options, binding, error, signal);
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
  const { condition, requeueAfterMs } = decision;
  const written = await report(options, binding, condition, signal);
  if (written.binding === undefined) return { binding: undefined, requeueAfterMs: sooner(requeueAfterMs, written) };
  // The user has changed the policy meanwhile: decide about that first.
  if (!sameWish(written.binding, binding)) return { binding: written.binding, requeueAfterMs: 0 };
  const confirmed = await confirm(options.client, written.binding, decision, signal);
  if (confirmed === undefined) return { binding: undefined, requeueAfterMs: STALE_MS * (0.8 + 0.4 * options.random()) };
  let current: APIServiceBinding | undefined = confirmed.binding;
  for (const action of confirmed.actions)
    if (current !== undefined) current = await act(options, current, action, signal);
  return { binding: current, requeueAfterMs: sooner(requeueAfterMs, written) };
}

/** The actions, if they hold for the live state; undefined: the caches lag behind it. */
interface Confirmed {
  readonly binding: APIServiceBinding;
  readonly actions: readonly Action[];
}

/**
 * Reads the binding live before anything is deleted or let go: after a restored backup the cache shows another state
 * for a while. Before the binding goes, also looks live for its CRDs and their objects.
 */
async function confirm(
  client: Client,
  binding: APIServiceBinding,
  { actions }: Decision,
  signal: AbortSignal,
): Promise<Confirmed | undefined> {
  if (actions.length === 0) return { binding, actions };
  const { name, uid } = binding.metadata;
  const live = await getIfExists<APIServiceBinding>(client, resources.apiServiceBindings, { name }, { signal });
  if (live === undefined || live.metadata.uid !== uid || !sameWish(live, binding)) return undefined;
  const isGoing = actions.some(({ type }) => type === 'removeFinalizer');
  if (!isGoing || !needsObjects(live)) return { binding: live, actions };
  const crds = await listServed<KubeObject>(client, resources.customResourceDefinitions, {
    representation: 'metadata',
    signal,
  });
  const again = decide(await observe(client, live, crds, signal));
  return again.actions.some(({ type }) => type === 'removeFinalizer')
    ? { binding: live, actions: again.actions }
    : undefined;
}

/** Reports a missing right, if that is the failure. */
export async function reportForbidden(
  options: SettleOptions,
  binding: APIServiceBinding,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (isApiError(error, 'Forbidden', 'Unauthorized'))
    await report(options, binding, forbidden(`${error.status?.message ?? error.message}.`), signal);
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
  const written = await report(options, held, condition, signal);
  return { binding: written.binding, requeueAfterMs: sooner(requeueAfterMs, written) };
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
async function report(
  { statuses, now: time, events }: SettleOptions,
  binding: APIServiceBinding,
  condition: NewCondition | undefined,
  signal: AbortSignal,
): Promise<StatusWritten> {
  const now = time();
  const written = await statuses.write(binding, (status) => nextStatus(status, condition, now), signal);
  const {
    apiVersion,
    kind,
    metadata: { name, uid },
  } = binding;
  if (
    written.binding !== undefined &&
    written.binding !== binding &&
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
