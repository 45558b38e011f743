import type { JsonValue } from '@hawser/json';
import { DocumentNode } from './node/document-node.js';
import { evaluate } from './path/evaluate.js';
import { type Result, resultOf } from './result.js';

/**
 * Looks up a path in the syntax of gjson 1.18. Never fails: a meaningless path finds nothing. Reads only what the path
 * touches, does not change the document, and returns its values as they are.
 */
export function get(document: JsonValue, path: string): Result {
  return resultOf(evaluate(new DocumentNode(document), path).node);
}
