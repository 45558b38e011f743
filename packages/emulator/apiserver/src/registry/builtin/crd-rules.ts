import { checkRule as check } from '@hawser/cel';
import type { FieldError, RuleContext } from '@hawser/schema';
import { notImplemented } from '../../status.js';

/**
 * Compiles one rule of a CRD. Refuses with 501, rather than ignores, a rule that the API server would accept and this
 * one cannot run.
 */
export function checkRule(context: RuleContext): readonly FieldError[] {
  const { errors, unsupported } = check(context);
  const [first] = unsupported;
  if (first !== undefined) throw notImplemented(`a rule in CEL that uses ${first.feature}`);
  return errors;
}
