/** User of a request. `admin` may do everything; the administrator impersonates users. */
export type Actor =
  'admin' | 'anonymous' | { readonly user: string; readonly groups?: readonly string[] } | { readonly token: string };

/** Lower-case names; a repeated header has several values. */
export type Headers = Readonly<Record<string, readonly string[]>>;

export interface ServerRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Default `admin`. */
  readonly as?: Actor | undefined;
}

export interface ServerResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** An answer with a body of lines over time. */
export interface ServerWatch {
  readonly status: number;
  readonly headers: Headers;
  /** Lines of the body; ends when the server ends the answer. */
  readonly lines: AsyncIterator<string, undefined>;
  /** Ends the request. Idempotent. */
  close(): void;
}

/** The suite's interface to a server under test. */
export interface ServerUnderTest {
  /** For messages. */
  readonly name: string;
  request(request: ServerRequest): Promise<ServerResponse>;
  watch(request: Omit<ServerRequest, 'method' | 'body'>): Promise<ServerWatch>;
  /** Drops all versions but the current one: earlier watches and continue tokens expire. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
