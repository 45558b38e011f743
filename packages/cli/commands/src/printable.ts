/** All that a terminal acts upon, or that changes the direction in which it shows what follows. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text as it may be printed. Much of it is others' (conditions of a provider, versions of konnectors, claims), and must not speak to the terminal: what it would act upon is shown as its escape, apart from
 * ends of lines and tabs. What is in JSON stays the same.
 */
export function printable(text: string): string {
  return text.replace(unseen, (one) => (one === '\n' || one === '\t' ? one : escaped(one)));
}

/** {@link printable} on one line: nobody else begins a line of a table, or of a question. */
export function printableLine(text: string): string {
  return text.replace(unseen, (one) => (one === '\n' || one === '\t' ? ' ' : escaped(one)));
}

function escaped(one: string): string {
  return `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
