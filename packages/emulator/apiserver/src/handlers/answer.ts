/** Takes the body of a stream piece by piece. */
export interface StreamSink {
  data(chunk: string): void;
  end(): void;
}

/** A body that comes over time. */
export interface Stream {
  /** Called once. The stream may give chunks before this returns. */
  start(sink: StreamSink): void;
  /** The client has gone: no more chunks, everything is let go. Idempotent. */
  cancel(): void;
}

export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** What a request comes to. */
export type Answer =
  | { readonly kind: 'whole'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly kind: 'stream'; readonly status: number; readonly headers: Headers; readonly stream: Stream };
