import type { Node } from '../node/node.js';

/** Result of a path's beginning, and the rest of the path. */
export interface Step {
  /** Missing: found nothing. */
  readonly node: Node | undefined;
  readonly rest: string;
}
