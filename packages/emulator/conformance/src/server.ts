/** Who sends a request. `admin` may do everything; a user is impersonated by the administrator. */
export type Actor =
  'admin' | 'anonymous' | { readonly user: string; readonly groups?: readonly string[] } | { readonly token: string };

/** Lower-case names; a header that came twice has two values. */
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

/** An answer whose body comes in lines over time. */
export interface ServerWatch {
  readonly status: number;
  readonly headers: Headers;
  /** Lines of the body; ends when the server ends the answer. */
  readonly lines: AsyncIterator<string, undefined>;
  /** Ends the request. Idempotent. */
  close(): void;
}

/** All that the suite knows of a server that it tests. */
export interface ServerUnderTest {
  /** Shows in messages. */
  readonly name: string;
  request(request: ServerRequest): Promise<ServerResponse>;
  watch(request: Omit<ServerRequest, 'method' | 'body'>): Promise<ServerWatch>;
  /** Forgets all versions but the current one, so that a watch or a continue token from before is expired. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
