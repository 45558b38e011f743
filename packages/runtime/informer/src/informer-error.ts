/** Why an informer refused. Closed: switch over it. */
export type InformerErrorCode =
  /** The informer, or this share in it, has been stopped: its cache is gone, so it must not be read as if it were empty. */
  | 'Stopped'
  /** There is no index of that name. */
  | 'UnknownIndex';

/** The one error of this package; failures of the server are told by the informer's state. A retry never helps. */
export class InformerError extends Error {
  override readonly name = 'InformerError';

  constructor(
    readonly code: InformerErrorCode,
    message: string,
  ) {
    super(message);
  }
}
