import type { LabelSelector } from '@hawser/syncagent-api';
import { type EntryContext, relatedError } from '../entry-context.js';
import type { PrimaryPair } from '../primary-pair.js';
import { bothSides, textTemplate } from '../text-template.js';
import { isLabelKey, isLabelValue } from './label.js';
import { type Labels, labelMatcher, selectorText } from './label-selector.js';

/** What to list for a primary: everything that a selector selects, or nothing. */
export type Selection =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'selected';
      readonly labelSelector: string | undefined;
      readonly matches: (labels: Labels) => boolean;
    };

/** @throws {RelatedError} `IllegalSelector`, `TemplateFailed` */
export type TemplatedSelector = (primary: PrimaryPair) => Selection;

type Part = (primary: PrimaryPair) => string;

/**
 * A selector whose `matchLabels` may have templates for keys and values (spec/api-syncagent.md §12.4). Rendered anew
 * for each primary object, and never into the PublishedResource. Drops a label with an empty key; if that leaves none,
 * selects nothing.
 */
export function templatedSelector(
  selector: LabelSelector,
  field: string,
  context: EntryContext,
): TemplatedSelector | undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  checkExpressions(matchExpressions, field, context);
  const labels = Object.entries(matchLabels).map(([key, value]) => {
    const path = `${field}.matchLabels[${key}]`;
    return {
      path,
      key: labelPart(key, isLabelKey, 'key', path, context),
      value: labelPart(value, isLabelValue, 'value', path, context),
    };
  });
  const compiled = labels.flatMap(({ path, key, value }) =>
    key === undefined || value === undefined ? [] : [{ path, key, value }],
  );
  if (compiled.length < labels.length) return undefined;
  return (primary) => {
    const rendered: [string, string][] = [];
    for (const { path, key: keyOf, value: valueOf } of compiled) {
      const key = keyOf(primary);
      if (key === '') continue;
      const value = valueOf(primary);
      if (!isLabelKey(key))
        throw relatedError(context, 'IllegalSelector', path, 'the template yields no legal key of a label');
      if (!isLabelValue(value))
        throw relatedError(context, 'IllegalSelector', path, 'the template yields no legal value of a label');
      rendered.push([key, value]);
    }
    if (rendered.length === 0 && compiled.length > 0 && matchExpressions.length === 0) return { kind: 'nothing' };
    const selected = { matchLabels: Object.fromEntries(rendered), matchExpressions };
    return { kind: 'selected', labelSelector: selectorText(selected), matches: labelMatcher(selected) };
  };
}

/** A key or value: a template if it has braces, else a literal label. */
function labelPart(
  text: string,
  isLegal: (text: string) => boolean,
  what: string,
  field: string,
  context: EntryContext,
): Part | undefined {
  if (text.includes('{{')) {
    const template = textTemplate(text, field, context);
    return template === undefined ? undefined : (primary) => template(bothSides(primary));
  }
  if (text !== '' && !isLegal(text)) {
    context.findings.error(field, `has no legal ${what} of a label`);
    return undefined;
  }
  return () => text;
}

function checkExpressions(
  expressions: NonNullable<LabelSelector['matchExpressions']>,
  field: string,
  { findings }: EntryContext,
): void {
  for (const [index, { key, operator, values = [] }] of expressions.entries()) {
    const path = `${field}.matchExpressions[${index}]`;
    if (!isLabelKey(key)) findings.error(`${path}.key`, 'is not a legal key of a label');
    if (!values.every(isLabelValue))
      findings.error(`${path}.values`, 'has something that is not a legal value of a label');
    switch (operator) {
      case 'In':
      case 'NotIn':
        if (values.length === 0) findings.error(`${path}.values`, `must not be empty with ${operator}`);
        break;
      case 'Exists':
      case 'DoesNotExist':
        if (values.length > 0) findings.error(`${path}.values`, `must be empty with ${operator}`);
        break;
      default:
        findings.error(`${path}.operator`, 'must be one of In, NotIn, Exists, DoesNotExist');
    }
  }
}
