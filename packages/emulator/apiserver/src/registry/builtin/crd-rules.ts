import { checkRule as check } from '@hawser/cel';
import type { FieldError, RulePlace } from '@hawser/schema';
import { notImplemented } from '../../status.js';

/** Compiles one rule of a CRD. What the API server would take and this one cannot run is refused with 501 rather than ignored. */
export function checkRule(place: RulePlace): readonly FieldError[] {
  const { errors, unsupported } = check(place);
  const [first] = unsupported;
  if (first !== undefined) throw notImplemented(`a rule in CEL that uses ${first.feature}`);
  return errors;
}
