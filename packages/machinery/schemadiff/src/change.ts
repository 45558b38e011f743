/**
 * What a change means for objects that are stored. `safe`: each of them could be created anew. `breaking`: some of them may be refused, or lose values.
 * `incompatible`: there is little hope for any of them, or it is another API now.
 */
export type Severity = 'safe' | 'breaking' | 'incompatible';

const order: readonly Severity[] = ['safe', 'breaking', 'incompatible'];

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
  const worst = changes.reduce((most, { severity }) => Math.max(most, order.indexOf(severity)), 0);
  return { severity: order[worst] ?? 'safe', changes };
}

/** `v1: spec.size: may be 9 at most, was 10`. */
export function describeChange({ version, path, message }: SchemaChange): string {
  return [version, path, message].filter((part) => part !== undefined && part !== '').join(': ');
}
