import { compareStrings } from './compare-values.js';
import { identityOfKey } from './managed-fields.js';
import { pathText } from './path-element.js';
import type { Conflicts } from './updater.js';

/** One field that another manager owns with another value. */
export interface ConflictCause {
  readonly reason: 'FieldManagerConflict';
  /** `conflict with "kubectl" using v1` */
  readonly message: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/**
 * An apply that would take fields from other managers. The answer is 409 with reason `Conflict`, this message and these
 * causes.
 */
export class ApplyConflictError extends Error {
  override readonly name = 'ApplyConflictError';
  readonly code = 409;
  readonly reason = 'Conflict';
  /** Retry with `force`, or without the fields: the same request fails again. */
  readonly retryable = false;
  readonly causes: readonly ConflictCause[];

  constructor(readonly conflicts: Conflicts) {
    const byManager = [...conflicts]
      .sort(([a], [b]) => compareStrings(a, b))
      .map(([key, set]) => ({ manager: managerText(key), paths: [...set.paths()].map(pathText) }));
    const causes = byManager.flatMap(({ manager, paths }) =>
      paths.map((field): ConflictCause => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${manager}`,
        field,
      })),
    );
    const [single] = causes;
    super(
      single !== undefined && causes.length === 1
        ? `Apply failed with 1 conflict: ${single.message}: ${single.field}`
        : `Apply failed with ${causes.length} conflicts: ${byManager.flatMap(({ manager, paths }) => [`conflicts with ${manager}:`, ...paths.map((path) => `- ${path}`)]).join('\n')}`,
    );
    this.causes = causes;
  }
}

function managerText(key: string): string {
  const { manager, operation, apiVersion, subresource } = identityOfKey(key);
  const name = JSON.stringify(manager) + (subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`);
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
