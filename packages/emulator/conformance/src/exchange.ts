import type { JsonValue } from '@hawser/json';

/** One exchange with a server. A watch has events instead of a body. */
export interface Exchange {
  /** Method and path, or `WATCH` and path. */
  readonly request: string;
  readonly status: number;
  /** Only the compared ones. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly body?: JsonValue;
  readonly events?: readonly JsonValue[];
}

/** All exchanges of a case, in order. */
export type Transcript = readonly Exchange[];
