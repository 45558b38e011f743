import type { Condition } from '../kinds/condition.js';
import { type Conditions, type NewCondition, falseCondition, getCondition } from './condition-list.js';
import { conditionTypes } from './types.js';

/** What a konnector of ours has made of a schema; `hash` is `schemaHash` of the BoundSchema's spec that it is about. */
export type SchemaAnswer =
  /** The consumer serves it. */
  | { readonly kind: 'applied'; readonly hash: string }
  /** The consumer does not: its API server, its operator, or the konnector's gate has refused. */
  | { readonly kind: 'refused'; readonly hash: string; readonly reason: string; readonly message: string };

/**
 * The condition `SchemaApplied` of a BoundSchema. Without severity, so that no summary counts it: a Go konnector that takes over would never clear it.
 */
export function schemaAppliedCondition(answer: SchemaAnswer): NewCondition {
  const type = conditionTypes.schemaApplied;
  return answer.kind === 'applied'
    ? { type, status: 'True', reason: answer.hash }
    : falseCondition(type, answer.reason, '', `Schema ${answer.hash}: ${answer.message}`);
}

/** Reads it back. Undefined: no konnector of ours has answered, or in words that are not understood. Compare the hash: the answer may be to an earlier schema. */
export function readSchemaApplied(conditions: Conditions | undefined): SchemaAnswer | undefined {
  const condition: Condition | undefined = getCondition(conditions, conditionTypes.schemaApplied);
  if (condition?.status === 'True')
    return isHash(condition.reason) ? { kind: 'applied', hash: condition.reason } : undefined;
  const words = /^Schema (?<hash>[0-9a-f]{64}): (?<message>.*)$/su.exec(condition?.message ?? '')?.groups;
  if (condition?.status !== 'False' || words === undefined) return undefined;
  return {
    kind: 'refused',
    hash: words['hash'] ?? '',
    reason: condition.reason ?? '',
    message: words['message'] ?? '',
  };
}

function isHash(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{64}$/u.test(text);
}
