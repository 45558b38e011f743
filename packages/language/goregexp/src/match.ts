/** Where a group matched, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One match of a pattern: group 0 is the whole match; a group that did not participate is missing. */
export interface Match {
  readonly whole: Span;
  /** The text of a group, by number; undefined for an unknown group or one that did not participate. */
  readonly group: (index: number) => string | undefined;
}
