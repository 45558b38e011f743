/** Where a group matched, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** One match of a pattern: the whole of it is group 0; a group that took no part is missing. */
export interface Match {
  readonly whole: Span;
  /** The text of a group, by number; undefined where there is no such group or it took no part. */
  readonly group: (index: number) => string | undefined;
}
