import { type FieldSelector, parseFieldSelector as parse } from '@hawser/selector';
import { badRequest } from '../status.js';

/** Throws 400 for an invalid selector. */
export function parseFieldSelector(text: string): FieldSelector {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}
