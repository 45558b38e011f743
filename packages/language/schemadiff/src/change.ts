import { type ChangeKind, type ClassifiedChange, classification } from './classification.js';
import { type Severity, severities, worstOf } from './severity.js';

export interface SchemaChange {
  readonly kind: ChangeKind;
  readonly severity: Severity;
  /** Its version; absent if it concerns all. */
  readonly version?: string | undefined;
  /**
   * JSONPath below the object without `$.`: `spec.items[*].name`, `metadata.labels['a/b']`, `spec.map.*`; empty for the
   * resource itself.
   */
  readonly path: string;
  /** The change, as words that follow the path. */
  readonly message: string;
}

export interface Comparison {
  /** Severity of the worst change; `safe` if there is none. */
  readonly severity: Severity;
  readonly changes: readonly SchemaChange[];
}

export function changeOf(kind: ChangeKind, version: string | undefined, path: string, message: string): SchemaChange {
  return { kind, severity: classification[kind].severity, version, path, message };
}

export function comparisonOf(changes: readonly SchemaChange[]): Comparison {
  return { severity: worstOf(changes.map(({ severity }) => severity)), changes };
}

/** Why a change has its severity, and what to do about it. */
export function explainChange({ kind }: SchemaChange): Pick<ClassifiedChange, 'reason' | 'remedy'> {
  const { reason, remedy } = classification[kind];
  return { reason, remedy };
}

/** `v1: spec.size: may be 9 at most, was 10`. */
export function describeChange({ version, path, message }: SchemaChange): string {
  return [version, path, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/**
 * Many changes in one line: the worst first, at most `limit` of them in full, plus the number of the rest. Empty for
 * none.
 */
export function describeChanges(changes: readonly SchemaChange[], limit = 12): string {
  const named = bySeverity(changes).slice(0, limit).map(describeChange);
  if (named.length === 0) return '';
  return `${named.join('; ')}${changes.length > named.length ? `; and ${changes.length - named.length} more` : ''}.`;
}

/** The worst first; in order of discovery within one severity. */
export function bySeverity(changes: readonly SchemaChange[]): readonly SchemaChange[] {
  return changes.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
}
