import type { Answer } from './answer.js';
import type { BuiltInResource } from './paths.js';
import type { Actor } from './server.js';
import type { JsonValue } from '@hawser/json';

/** Options of one request. */
export interface CallOptions {
  readonly as?: Actor;
  readonly accept?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the path: `{ dryRun: 'All' }`. */
  readonly query?: Readonly<Record<string, string>>;
  /** The compared part of the body. Default: all of it. */
  readonly select?: (body: JsonValue) => JsonValue;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** A body: an object becomes JSON, a string is sent unchanged. */
export type Body = object | string;

/** One event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Answer;
}

export interface CaseWatch extends AsyncDisposable {
  readonly status: number;
  /**
   * The next `count` events, which become part of the transcript. Skips bookmarks, except the one that ends the initial
   * events. Throws if they do not come within five seconds.
   */
  take(count: number): Promise<readonly WatchEvent[]>;
  /** {@link take} for all events until the server ends the watch. */
  rest(): Promise<readonly WatchEvent[]>;
}

/** Requests of a case. */
export interface Calls {
  request(method: string, path: string, body?: Body, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  create(path: string, body: Body, options?: CallOptions): Promise<Answer>;
  replace(path: string, body: Body, options?: CallOptions): Promise<Answer>;
  patch(type: PatchType, path: string, body: Body, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: Body, options?: CallOptions): Promise<Answer>;
}

/** Interface for a case. The transcript of its requests and answers is compared. */
export interface Api extends Calls {
  /** Eight characters unique to this case; part of the names of cluster-scoped objects. */
  readonly id: string;
  /** An existing namespace for this case only. */
  readonly namespace: string;
  /** An API group for this case only. */
  readonly group: string;
  /** Preparing requests: they must succeed and stay out of the transcript. */
  readonly quietly: Calls;
  /** Path of a built-in kind, in the namespace of the case. */
  path(resource: BuiltInResource, ...rest: readonly string[]): string;
  /** Path of a kind of the shared fixtures: `widgets`. */
  fixture(resource: FixtureResource, ...rest: readonly string[]): string;
  /** Path of a custom resource in the namespace of the case. */
  custom(version: string, resource: string, ...rest: readonly string[]): string;
  /** Creates a CRD and waits until its resource is served. The answer stays out of the transcript. */
  define(definition: object): Promise<void>;
  watch(path: string, options?: CallOptions): Promise<CaseWatch>;
  /** Repeats a request until `done`, up to fifteen seconds. Only the last answer enters the transcript. */
  until(path: string, done: (answer: Answer) => boolean, options?: CallOptions): Promise<Answer>;
  /** {@link until} for any request, outside the transcript. */
  eventually(call: (calls: Calls) => Promise<Answer>, done: (answer: Answer) => boolean): Promise<Answer>;
  /** Expires all earlier versions. Only for cases with their own server. */
  compact(): Promise<void>;
  /** Adds a finding of the case to the transcript. */
  note(what: string, value: JsonValue): void;
}

export type FixtureResource = 'widgets' | 'gadgets' | 'gears' | 'loose' | 'ruled';
