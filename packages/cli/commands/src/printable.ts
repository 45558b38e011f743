/** All characters that a terminal acts upon, or that change the direction of the text after them. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes text safe to print. Much of it comes from others (conditions of a provider, versions of konnectors, claims),
 * and must not control the terminal. Shows control characters as escapes, apart from ends of lines and tabs. Text in
 * JSON stays the same.
 */
export function printable(text: string): string {
  return text.replace(unseen, (one) => (one === '\n' || one === '\t' ? one : escaped(one)));
}

/** {@link printable} on one line: foreign text begins no line of a table or a question. */
export function printableLine(text: string): string {
  return text.replace(unseen, (one) => (one === '\n' || one === '\t' ? ' ' : escaped(one)));
}

function escaped(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
