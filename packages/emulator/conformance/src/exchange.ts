import type { JsonValue } from '@hawser/json';

/** What happened once, as the server said it. A watch has events in place of a body. */
export interface Exchange {
  /** Method and path, or `WATCH` and path. */
  readonly request: string;
  readonly status: number;
  /** Only those that the suite compares. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly body?: JsonValue;
  readonly events?: readonly JsonValue[];
}

/** All exchanges of a case, in order. */
export type Transcript = readonly Exchange[];
