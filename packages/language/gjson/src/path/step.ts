import type { Node } from '../node/node.js';

/** What the beginning of a path yields by itself, and the rest of the path. */
export interface Step {
  /** Missing: there is nothing. */
  readonly node: Node | undefined;
  readonly rest: string;
}
