/** Why nothing can be set or deleted at a path. Trying again helps only with another document, or another path. */
export class PathError extends Error {
  readonly retryable = false;

  /**
   * @param code - `EmptyPath`: there is no path; `ComplexDelete`: the path has wildcards, queries or modifiers, which cannot be deleted through;
   * `NoIndex`: the path names a key where the document has an array; `TooFar`: the index lies so far behind the end that the gap is not filled
   */
  constructor(
    readonly code: 'EmptyPath' | 'ComplexDelete' | 'NoIndex' | 'TooFar',
    readonly path: string,
    message: string,
  ) {
    super(message);
    this.name = 'PathError';
  }
}
