/** Why an informer refused. Closed: switch over it. */
export type InformerErrorCode =
  /** The informer, or this share in it, has stopped: its cache is gone and must not be read as empty. */
  | 'Stopped'
  /** There is no index of that name. */
  | 'UnknownIndex';

/** The one error of this package; server failures appear in the informer's state. A retry never helps. */
export class InformerError extends Error {
  override readonly name = 'InformerError';

  constructor(
    readonly code: InformerErrorCode,
    message: string,
  ) {
    super(message);
  }
}
