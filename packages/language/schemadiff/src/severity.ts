/**
 * What a change means for objects that are stored, and for those who use them. `safe`: each object could be created anew. `warn`: so it should be, but something
 * behaves otherwise than before. `breaking`: some objects may be refused or lose values, or a client finds something gone. `incompatible`: it is another API
 * now, which no object can be carried over to.
 */
export type Severity = 'safe' | 'warn' | 'breaking' | 'incompatible';

/** From harmless to hopeless. */
export const severities: readonly Severity[] = ['safe', 'warn', 'breaking', 'incompatible'];

export function worstOf(all: readonly Severity[]): Severity {
  return severities[all.reduce((most, severity) => Math.max(most, severities.indexOf(severity)), 0)] ?? 'safe';
}
