import { statusPatch } from '@hawser/client';
import { type Decision as Decided, done } from '@hawser/controller';
import {
  type APIServiceBinding,
  type ClusterBinding,
  type NewCondition,
  type Secret,
  conditionTypes,
  trueCondition,
} from '@hawser/kube-bind';
import { nextBindingStatus, nextClusterBindingStatus } from './commit.js';
import { type StatusFields, decide } from './decide.js';
import type { MirrorAction } from './mirror.js';
import type { Observed } from './observed.js';

/** Separate keys for Secrets, report and each binding: retries of one do not delay the others. */
export const mirrorKey = 'mirror';
export const reportKey = 'report';
const bindingPrefix = 'binding/';
export const bindingKey = (name: string): string => bindingPrefix + name;

/** The binding of a {@link bindingKey}. */
export const bindingOf = (key: string): string => key.slice(bindingPrefix.length);

/**
 * Input for the decision on one key. `waitMs`: time without any write for it. `undoneMs`: time before a write dropped
 * by the API server is repeated.
 */
export type Round = { readonly waitMs: number; readonly undoneMs: number } & (
  | { readonly kind: 'mirror'; readonly seen: Observed }
  /** `secretValid`: result of the last mirroring; undefined while unknown. */
  | { readonly kind: 'report'; readonly seen: Observed; readonly secretValid: NewCondition | undefined }
  | {
      readonly kind: 'binding';
      /** Undefined: it is gone, or another connection serves it. */
      readonly binding: APIServiceBinding | undefined;
      /** Report for the binding; undefined before the first report. */
      readonly heartbeating: NewCondition | undefined;
      readonly nowMs: number;
    }
);

export type Action =
  | {
      readonly type: 'mirrorSecrets';
      readonly mirrors: readonly MirrorAction[];
      readonly source: Secret | undefined;
      readonly secretValid: NewCondition | undefined;
    }
  | {
      readonly type: 'report';
      readonly clusterBinding: ClusterBinding;
      readonly status: StatusFields;
      readonly secretValid: NewCondition | undefined;
      readonly validVersion: NewCondition;
    }
  | { readonly type: 'tellBinding'; readonly binding: APIServiceBinding; readonly heartbeating: NewCondition };

export interface RoundDecision extends Decided<Action> {
  /** Current result for the Secrets. Absent: nothing new. */
  readonly secretValid?: NewCondition | undefined;
  /** Current report for every binding. Absent: it stays. */
  readonly heartbeating?: NewCondition | undefined;
}

/** Decides about one key. Pure. */
export function decideRound(round: Round): RoundDecision {
  if (round.waitMs > 0) return { actions: [], requeueAfterMs: round.waitMs, requeuePriority: 'normal' };
  switch (round.kind) {
    case 'mirror':
      return decideMirroring(round.seen);
    case 'report':
      return decideReport(round.seen, round.secretValid, round.undoneMs);
    case 'binding': {
      const { binding, heartbeating, nowMs, undoneMs } = round;
      if (binding === undefined || heartbeating === undefined) return { actions: [] };
      const status = binding.status ?? {};
      if (statusPatch(status, nextBindingStatus(status, heartbeating, nowMs)) === undefined) return { actions: [] };
      if (undoneMs > 0) return { actions: [], requeueAfterMs: undoneMs, requeuePriority: 'normal' };
      return { actions: [{ type: 'tellBinding', binding, heartbeating }], ends: done };
    }
  }
}

function decideMirroring(seen: Observed): RoundDecision {
  const decision = decide(seen);
  if (decision.kind === 'disconnected') return { actions: [] };
  const { mirrors, secretValid } = decision;
  if (mirrors.length === 0) return { actions: [], secretValid };
  const source = seen.providerSecret.kind === 'found' ? seen.providerSecret.secret : undefined;
  return { actions: [{ type: 'mirrorSecrets', mirrors, source, secretValid }], ends: done };
}

function decideReport(seen: Observed, known: NewCondition | undefined, undoneMs: number): RoundDecision {
  const decision = decide(seen);
  if (decision.kind === 'disconnected') return { actions: [], heartbeating: decision.heartbeating };
  const { clusterBinding, status, validVersion, nextMs } = decision;
  // Mirroring does not wait: the first report then needs no second one.
  const secretValid = known ?? (decision.mirrors.length === 0 ? decision.secretValid : undefined);
  const before = clusterBinding.status ?? {};
  const next = nextClusterBindingStatus(before, status, reportedConditions(secretValid, validVersion), seen.nowMs);
  if (statusPatch(before, next) === undefined)
    return {
      actions: [],
      secretValid,
      heartbeating: trueCondition(conditionTypes.heartbeating),
      requeueAfterMs: nextMs,
      requeuePriority: 'normal',
    };
  // A heartbeat does not wait.
  if (undoneMs > 0 && status.lastHeartbeatTime === undefined)
    return { actions: [], secretValid, requeueAfterMs: Math.min(undoneMs, nextMs), requeuePriority: 'normal' };
  return {
    actions: [{ type: 'report', clusterBinding, status, secretValid, validVersion }],
    secretValid,
    ends: { kind: 'requeue', afterMs: nextMs },
  };
}

/** Selects the conditions of a ClusterBinding that the konnector owns. */
export function reportedConditions(
  secretValid: NewCondition | undefined,
  validVersion: NewCondition,
): readonly NewCondition[] {
  return secretValid === undefined ? [validVersion] : [secretValid, validVersion];
}
