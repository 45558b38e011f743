/** Why a path cannot be set or deleted. Retrying helps only with another document or another path. */
export class PathError extends Error {
  readonly retryable = false;

  /**
   * @param code - `EmptyPath`: the path is empty; `ComplexDelete`: the path has wildcards, queries or modifiers, which
   * deletion does not support; `NoIndex`: the path has a key where the document has an array; `TooFar`: the index is
   * too far behind the end to fill the gap
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
