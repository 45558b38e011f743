import { type ChangeKind, type ClassifiedChange, classification } from './classification.js';
import { type Severity, severities, worstOf } from './severity.js';

export interface SchemaChange {
  readonly kind: ChangeKind;
  readonly severity: Severity;
  /** The version that it is in; absent for what concerns all. */
  readonly version?: string | undefined;
  /** JSONPath below the object without `$.`: `spec.items[*].name`, `metadata.labels['a/b']`, `spec.map.*`; empty for the resource itself. */
  readonly path: string;
  /** What has changed, as words that follow the path. */
  readonly message: string;
}

export interface Comparison {
  /** That of the worst change; `safe` where there is none. */
  readonly severity: Severity;
  readonly changes: readonly SchemaChange[];
}

export function changeOf(kind: ChangeKind, version: string | undefined, path: string, message: string): SchemaChange {
  return { kind, severity: classification[kind].severity, version, path, message };
}

export function comparisonOf(changes: readonly SchemaChange[]): Comparison {
  return { severity: worstOf(changes.map(({ severity }) => severity)), changes };
}

/** Why a change is as severe as it is, and what to do about it. */
export function explainChange({ kind }: SchemaChange): Pick<ClassifiedChange, 'reason' | 'remedy'> {
  const { reason, remedy } = classification[kind];
  return { reason, remedy };
}

/** `v1: spec.size: may be 9 at most, was 10`. */
export function describeChange({ version, path, message }: SchemaChange): string {
  return [version, path, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** Many changes in one line of a message: the worst first, at most `limit` of them by name, and how many more there are. Empty if there is none. */
export function describeChanges(changes: readonly SchemaChange[], limit = 12): string {
  const named = bySeverity(changes).slice(0, limit).map(describeChange);
  if (named.length === 0) return '';
  return `${named.join('; ')}${changes.length > named.length ? `; and ${changes.length - named.length} more` : ''}.`;
}

/** The worst first; those of one severity in the order in which they were found. */
export function bySeverity(changes: readonly SchemaChange[]): readonly SchemaChange[] {
  return changes.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity));
}
