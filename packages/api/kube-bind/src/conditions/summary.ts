import type { ConditionSeverity } from '../kinds/condition.js';
import type { Instant } from '../time.js';
import {
  type Conditions,
  falseCondition,
  getCondition,
  hasCondition,
  listed,
  type NewCondition,
  setCondition,
  trueCondition,
} from './condition-list.js';
import { type ConditionSource, mergeConditions } from './merge.js';
import { conditionReasons, conditionTypes } from './types.js';

export interface SummaryOptions {
  /** Only these types count. Their order decides which reason and message show. */
  readonly types?: readonly string[] | undefined;
  /** Say `n of m completed` instead of a message. Default false. */
  readonly stepCounter?: boolean | undefined;
  /** Use the counter only if no other type is in scope; m is then their number. */
  readonly stepCounterIfOnly?: readonly string[] | undefined;
  /** Name this object in the reason. */
  readonly sourceRef?: ConditionSource | undefined;
}

/**
 * `Ready` from all other conditions of the same object; undefined for none. Only existing conditions count: a missing
 * one does not hold `Ready` back (spec/kube-bind-api.md §9.5).
 */
export function summary(conditions: Conditions | undefined, options: SummaryOptions = {}): NewCondition | undefined {
  const inScope = listed(conditions).filter(
    ({ type }) => type !== conditionTypes.ready && (options.types === undefined || options.types.includes(type)),
  );
  const { stepCounterIfOnly } = options;
  const counts =
    options.stepCounter === true &&
    (stepCounterIfOnly === undefined || inScope.every(({ type }) => stepCounterIfOnly.includes(type)));
  const total = (stepCounterIfOnly ?? options.types ?? inScope).length;
  const source = options.sourceRef ?? { kind: '', name: '' };
  return mergeConditions(
    inScope.map((condition) => ({ condition, source })),
    conditionTypes.ready,
    { types: options.types, stepCounterTotal: counts ? total : undefined, sourceRef: options.sourceRef !== undefined },
  );
}

/** Sets `Ready` to {@link summary}; an existing `Ready` stays if there is nothing to sum up. */
export function setSummary(conditions: Conditions | undefined, now: Instant, options: SummaryOptions = {}): Conditions {
  return setCondition(conditions, summary(conditions, options), now);
}

/** {@link setSummary} of an APIServiceBinding; not True until its connection is known. */
export function setBindingSummary(conditions: Conditions | undefined, now: Instant): Conditions {
  return setSummaryAfter(
    conditions,
    conditionTypes.connected,
    'The konnector has not looked at the APIServiceExport yet; it does so once it is connected to the provider.',
    now,
  );
}

/**
 * {@link setSummary} of an APIServiceBindingBundle; not True until it is known whether every export of the provider is
 * bound.
 */
export function setBundleSummary(conditions: Conditions | undefined, now: Instant): Conditions {
  return setSummaryAfter(
    conditions,
    conditionTypes.synced,
    'The konnector has not looked at the APIServiceExports yet; it does so once it is connected to the provider.',
    now,
  );
}

function setSummaryAfter(conditions: Conditions | undefined, last: string, pending: string, now: Instant): Conditions {
  const isEarly = !hasCondition(conditions, last) && summary(conditions)?.status === 'True';
  return isEarly
    ? setCondition(conditions, falseCondition(conditionTypes.ready, conditionReasons.pending, 'Info', pending), now)
    : setSummary(conditions, now);
}

/** Condition to show while the source has no `Ready`. */
export type MirrorFallback =
  | { readonly status: true }
  | {
      readonly status: false;
      readonly reason: string;
      readonly severity: ConditionSeverity | '';
      readonly message: string;
    };

/**
 * Copies the `Ready` of another object to `targetType`; undefined without a `Ready` and without a fallback
 * (spec/kube-bind-api.md §9.6).
 */
export function mirror(
  source: Conditions | undefined,
  targetType: string,
  fallback?: MirrorFallback,
): NewCondition | undefined {
  const ready = getCondition(source, conditionTypes.ready);
  if (ready !== undefined) return { ...ready, type: targetType };
  if (fallback === undefined) return undefined;
  return fallback.status
    ? trueCondition(targetType)
    : falseCondition(targetType, fallback.reason, fallback.severity, fallback.message);
}

export function setMirror(
  conditions: Conditions | undefined,
  targetType: string,
  source: Conditions | undefined,
  now: Instant,
  fallback?: MirrorFallback,
): Conditions {
  return setCondition(conditions, mirror(source, targetType, fallback), now);
}

/** An object whose `Ready` counts in an aggregate. */
export interface AggregateSource extends ConditionSource {
  readonly conditions?: Conditions | undefined;
}

export interface AggregateOptions {
  /** Say `n of m completed`, m being the number of sources. Default true. */
  readonly stepCounter?: boolean | undefined;
  readonly sourceRef?: boolean | undefined;
}

/** Merges the `Ready` of many objects into one condition of `targetType` (spec/kube-bind-api.md §9.7). */
export function aggregate(
  sources: readonly AggregateSource[],
  targetType: string,
  options: AggregateOptions = {},
): NewCondition | undefined {
  return mergeConditions(
    sources.map((source) => {
      const condition = getCondition(source.conditions, conditionTypes.ready);
      return condition === undefined ? undefined : { condition, source };
    }),
    targetType,
    { stepCounterTotal: options.stepCounter === false ? undefined : sources.length, sourceRef: options.sourceRef },
  );
}

export function setAggregate(
  conditions: Conditions | undefined,
  targetType: string,
  sources: readonly AggregateSource[],
  now: Instant,
  options: AggregateOptions = {},
): Conditions {
  return setCondition(conditions, aggregate(sources, targetType, options), now);
}
