/** Receives the body of a stream piece by piece. */
export interface StreamSink {
  data(chunk: string): void;
  end(): void;
}

/** A body delivered over time. */
export interface Stream {
  /** Called once. The stream may deliver chunks before this returns. */
  start(sink: StreamSink): void;
  /** The client is gone: delivers nothing more and releases everything. Idempotent. */
  cancel(): void;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Outcome of a request. */
export type Answer =
  | { readonly kind: 'whole'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly kind: 'stream'; readonly status: number; readonly headers: Headers; readonly stream: Stream };
