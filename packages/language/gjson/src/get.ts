import type { JsonValue } from '@hawser/json';
import { DocumentNode } from './node/document-node.js';
import { evaluate } from './path/evaluate.js';
import { type Result, resultOf } from './result.js';

/**
 * Looks a path in the syntax of gjson 1.18 up in a document. Never fails: a path that makes no sense finds nothing. Only what the path touches is
 * looked at; the document is not changed, and values are handed out as they are in it.
 */
export function get(document: JsonValue, path: string): Result {
  return resultOf(evaluate(new DocumentNode(document), path).node);
}
