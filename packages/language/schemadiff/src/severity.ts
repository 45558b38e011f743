/**
 * Effect of a change on stored objects and their users. `safe`: every object could be created anew. `warn`: likely so
 * too, but some behaviour changes. `breaking`: some objects may be refused or lose values, or clients miss something.
 * `incompatible`: it is another API now, to which no object can be carried over.
 */
export type Severity = 'safe' | 'warn' | 'breaking' | 'incompatible';

/** From harmless to hopeless. */
export const severities: readonly Severity[] = ['safe', 'warn', 'breaking', 'incompatible'];

export function worstOf(all: readonly Severity[]): Severity {
  return severities[all.reduce((most, severity) => Math.max(most, severities.indexOf(severity)), 0)] ?? 'safe';
}
