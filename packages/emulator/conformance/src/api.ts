import type { Answer } from './answer.js';
import type { BuiltInResource } from './paths.js';
import type { Actor } from './server.js';
import type { JsonValue } from '@hawser/json';

/** How a request of a case differs from the usual one. */
export interface CallOptions {
  readonly as?: Actor;
  readonly accept?: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Appended to the path: `{ dryRun: 'All' }`. */
  readonly query?: Readonly<Record<string, string>>;
  /** What of the body is compared. Default: all of it. */
  readonly select?: (body: JsonValue) => JsonValue;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

/** A body: an object is written as JSON, a string is sent as it is. */
export type Body = object | string;

/** One event of a watch. */
export interface WatchEvent {
  readonly type: string;
  readonly object: Answer;
}

export interface CaseWatch extends AsyncDisposable {
  readonly status: number;
  /**
   * The next `count` events, which become part of the transcript. Bookmarks do not count and are left out, except that which ends the initial
   * events. Throws if they do not come within five seconds.
   */
  take(count: number): Promise<readonly WatchEvent[]>;
  /** As {@link take}, of all events until the server ends the watch. */
  rest(): Promise<readonly WatchEvent[]>;
}

/** The requests that a case makes. */
export interface Calls {
  request(method: string, path: string, body?: Body, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  create(path: string, body: Body, options?: CallOptions): Promise<Answer>;
  replace(path: string, body: Body, options?: CallOptions): Promise<Answer>;
  patch(type: PatchType, path: string, body: Body, options?: CallOptions): Promise<Answer>;
  delete(path: string, body?: Body, options?: CallOptions): Promise<Answer>;
}

/** What a case gets. Its requests, and the answers, become the transcript that is compared. */
export interface Api extends Calls {
  /** Eight characters that belong to this case alone; part of the names of what is cluster-scoped. */
  readonly id: string;
  /** An existing namespace of its own. */
  readonly namespace: string;
  /** An API group of its own. */
  readonly group: string;
  /** Requests that prepare the case: they must succeed and are no part of the transcript. */
  readonly quietly: Calls;
  /** Path of a built-in kind, in the namespace of the case. */
  path(resource: BuiltInResource, ...rest: readonly string[]): string;
  /** Path of a kind of the shared fixtures: `widgets`. */
  fixture(resource: FixtureResource, ...rest: readonly string[]): string;
  /** Path of a custom resource in the namespace of the case. */
  custom(version: string, resource: string, ...rest: readonly string[]): string;
  /** Creates a CRD and waits until its resource is served. The answer of the creation is no part of the transcript. */
  define(definition: object): Promise<void>;
  watch(path: string, options?: CallOptions): Promise<CaseWatch>;
  /** Repeats a request until `done`, up to fifteen seconds. Only the last answer is part of the transcript. */
  until(path: string, done: (answer: Answer) => boolean, options?: CallOptions): Promise<Answer>;
  /** As {@link until}, for any request, and not part of the transcript. */
  eventually(call: (calls: Calls) => Promise<Answer>, done: (answer: Answer) => boolean): Promise<Answer>;
  /** Expires all versions before now. Only for cases that need a server of their own. */
  compact(): Promise<void>;
  /** Adds something that the case found out to the transcript. */
  note(what: string, value: JsonValue): void;
}

export type FixtureResource = 'widgets' | 'gadgets' | 'gears' | 'loose' | 'ruled';
