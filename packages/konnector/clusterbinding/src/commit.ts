import type { Client } from '@hawser/client';
import {
  type APIServiceBinding,
  type APIServiceBindingStatus,
  type ClusterBinding,
  type ClusterBindingStatus,
  type CommitStatusOptions,
  type NewCondition,
  type Conditions,
  commitStatus,
  resources,
  setBindingSummary,
  setCondition,
  setSummary,
} from '@hawser/kube-bind';
import type { StatusFields } from './decide.js';

/** Writes the status of the ClusterBinding if it differs. Undefined if it is gone. */
export function commitClusterBinding(
  provider: Client,
  object: ClusterBinding,
  fields: StatusFields,
  conditions: readonly NewCondition[],
  options: CommitStatusOptions,
): Promise<ClusterBinding | undefined> {
  return commitStatus(
    provider,
    resources.clusterBindings,
    object,
    (status) => nextClusterBindingStatus(status, fields, conditions, options.clock.now()),
    options,
  );
}

/** `status` with our fields in it. */
export function nextClusterBindingStatus(
  status: ClusterBindingStatus,
  fields: StatusFields,
  conditions: readonly NewCondition[],
  nowMs: number,
): ClusterBindingStatus {
  const defined = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return { ...status, ...defined, conditions: setSummary(withConditions(status.conditions, conditions, nowMs), nowMs) };
}

/** Writes a condition of a binding if it differs. Undefined if the binding is gone. */
export function commitBinding(
  consumer: Client,
  binding: APIServiceBinding,
  condition: NewCondition,
  options: CommitStatusOptions,
): Promise<APIServiceBinding | undefined> {
  const mutate = (status: APIServiceBindingStatus): APIServiceBindingStatus =>
    nextBindingStatus(status, condition, options.clock.now());
  return commitStatus(consumer, resources.apiServiceBindings, binding, mutate, options);
}

/** `status` with the condition in it. */
export function nextBindingStatus(
  status: APIServiceBindingStatus,
  condition: NewCondition,
  nowMs: number,
): APIServiceBindingStatus {
  return { ...status, conditions: setBindingSummary(setCondition(status.conditions, condition, nowMs), nowMs) };
}

function withConditions(
  conditions: Conditions | undefined,
  wanted: readonly NewCondition[],
  nowMs: number,
): Conditions | undefined {
  return wanted.reduce<Conditions | undefined>((next, condition) => setCondition(next, condition, nowMs), conditions);
}
