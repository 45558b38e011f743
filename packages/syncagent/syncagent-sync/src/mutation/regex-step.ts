import { get } from '@hawser/gjson';
import { InvalidPattern, compile } from '@hawser/goregexp';
import { setAt } from './at-path.js';
import type { Findings } from '../compilation.js';
import type { Step } from './step.js';

interface RegexMutation {
  readonly path: string;
  readonly pattern?: string | undefined;
  readonly replacement?: string | undefined;
}

/**
 * Replaces the matches of a pattern in the text of a value; without a pattern, the value (spec/api-syncagent.md §13.4).
 * Always leaves a string.
 */
export function regexStep(
  { path, pattern = '', replacement = '' }: RegexMutation,
  field: string,
  findings: Findings,
): Step | undefined {
  if (path === '') {
    findings.error(`${field}.path`, 'is empty');
    return undefined;
  }
  if (pattern === '') return ({ self }) => setAt(field, self, path, replacement);
  try {
    const regexp = compile(pattern);
    return ({ self }) => setAt(field, self, path, regexp.replaceAll(get(self, path).text, replacement));
  } catch (error) {
    if (!(error instanceof InvalidPattern)) throw error;
    findings.error(`${field}.pattern`, error.message);
    return undefined;
  }
}
