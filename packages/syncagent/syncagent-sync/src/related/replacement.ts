import { InvalidPattern, compile } from '@hawser/goregexp';
import type { RegularExpression } from '@hawser/syncagent-api';
import type { EntryContext } from './entry-context.js';

/**
 * Replaces a value: without a pattern by the replacement, else each match in the value (spec/api-syncagent.md §12.4).
 */
export function replacement(
  { pattern = '', replacement: text = '' }: RegularExpression,
  field: string,
  { findings }: EntryContext,
): ((value: string) => string) | undefined {
  if (pattern === '') return () => text;
  try {
    const regexp = compile(pattern);
    return (value) => regexp.replaceAll(value, text);
  } catch (error) {
    if (!(error instanceof InvalidPattern)) throw error;
    findings.error(`${field}.pattern`, error.message);
    return undefined;
  }
}
