/** Without the white space around it, as Go's `strings.TrimSpace` sees it: the next-line character counts, the byte order mark does not. */
export const trimSpace = (text: string): string => text.replace(/^[[\s\u0085]--\ufeff]+|[[\s\u0085]--\ufeff]+$/gv, '');
