/**
 * What a change means for objects that are stored, and for those who write them. `safe`: each object could be created anew. `warn`: so it could, but something
 * behaves otherwise than before. `breaking`: some objects may be refused or lose values, or a client finds something gone. `incompatible`: it is another API
 * now, which no object can be carried over to.
 */
export type Severity = 'safe' | 'warn' | 'breaking' | 'incompatible';

/** From harmless to hopeless. */
export const severities: readonly Severity[] = ['safe', 'warn', 'breaking', 'incompatible'];

export interface SchemaChange {
  readonly severity: Severity;
  /** The version that it is in; absent for what concerns all. */
  readonly version?: string | undefined;
  /** `spec.items[*].name`; empty for the resource itself. */
  readonly path: string;
  /** What has changed, as words that follow the path. */
  readonly message: string;
}

export interface Comparison {
  /** That of the worst change; `safe` where there is none. */
  readonly severity: Severity;
  readonly changes: readonly SchemaChange[];
}

export function comparisonOf(changes: readonly SchemaChange[]): Comparison {
  const worst = changes.reduce((most, { severity }) => Math.max(most, severities.indexOf(severity)), 0);
  return { severity: severities[worst] ?? 'safe', changes };
}

/** `v1: spec.size: may be 9 at most, was 10`. */
export function describeChange({ version, path, message }: SchemaChange): string {
  return [version, path, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** Many changes in one line of a message: the worst first, at most `limit` of them by name, and how many more there are. Empty if there is none. */
export function describeChanges(changes: readonly SchemaChange[], limit = 12): string {
  const named = changes.toSorted((a, b) => severities.indexOf(b.severity) - severities.indexOf(a.severity)).slice(0, limit).map(describeChange);
  if (named.length === 0) return '';
  return `${named.join('; ')}${changes.length > named.length ? `; and ${changes.length - named.length} more` : ''}.`;
}
