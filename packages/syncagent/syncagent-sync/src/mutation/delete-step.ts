import { PathError, remove } from '@hawser/gjson';
import { removeAt } from './at-path.js';
import type { Findings } from '../compilation.js';
import type { Step } from './step.js';

/** Removes the value at a path (spec/api-syncagent.md §13.3). */
export function deleteStep({ path }: { readonly path: string }, field: string, findings: Findings): Step | undefined {
  try {
    // Whether a path can be deleted does not depend on the object.
    remove({}, path);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    findings.error(`${field}.path`, error.message);
    return undefined;
  }
  return ({ self }) => removeAt(field, self, path);
}
