import type { Condition } from '../kinds/condition.js';
import { type Conditions, type NewCondition, falseCondition, getCondition } from './condition-list.js';
import { conditionTypes } from './types.js';

/** What a Hawser konnector did with a schema; `hash` is `schemaHash` of that BoundSchema's spec. */
export type SchemaAnswer =
  /** The consumer serves it. */
  | { readonly kind: 'applied'; readonly hash: string }
  /** The consumer does not serve it: its API server, its operator, or the konnector's gate refused. */
  | { readonly kind: 'refused'; readonly hash: string; readonly reason: string; readonly message: string };

/**
 * The condition `SchemaApplied` of a BoundSchema. Without severity, which keeps it out of summaries: a Go konnector
 * that takes over would never clear it.
 */
export function schemaAppliedCondition(answer: SchemaAnswer): NewCondition {
  const type = conditionTypes.schemaApplied;
  return answer.kind === 'applied'
    ? { type, status: 'True', reason: answer.hash }
    : falseCondition(type, answer.reason, '', `Schema ${answer.hash}: ${answer.message}`);
}

/**
 * Reads the condition back. Undefined: no Hawser konnector answered, or the text is unknown. Compare the hash: the
 * answer may concern an earlier schema.
 */
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
