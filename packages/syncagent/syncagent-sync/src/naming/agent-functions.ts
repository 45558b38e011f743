import { createHash } from 'node:crypto';
import {
  bytesOf,
  fn,
  type FunctionMap,
  jsonOf,
  sprigFunctions,
  type SprigOptions,
  variadicFn,
} from '@hawser/gotemplate';

/** Sources of time and randomness for template functions. */
export type AgentFunctionsOptions = SprigOptions;

const shortLength = 20;

/** Hexadecimal digits of a SHA3-256. */
const fullLength = 64;

function sha3(text: string): string {
  return createHash('sha3-256').update(bytesOf(text)).digest('hex');
}

function sha3short(text: string, lengths: readonly number[]): string {
  if (lengths.length > 1) throw new Error('at most one length may be given');
  const [length = shortLength] = lengths;
  if (length <= 0) throw new Error('the length must be above zero');
  return sha3(text).slice(0, Math.min(length, fullLength));
}

/** The agent's additions to sprig (`spec/api-syncagent.md §14.1`). */
const ownFunctions: FunctionMap = {
  sha3sum: fn(['string'], sha3),
  sha3short: variadicFn(['string'], 'int', (text, lengths) => sha3short(text, lengths)),
  // Text unchanged; anything else as JSON with the newline of Go's encoder.
  shortHash: fn(['any'], (value, { budget }) => {
    const hash = createHash('sha1').update(typeof value === 'string' ? bytesOf(value) : `${jsonOf(value, budget)}\n`);
    return hash.digest('hex').slice(0, shortLength);
  }),
};

/**
 * Everything that the templates of a PublishedResource can call besides Go's own functions: those of sprig, and
 * `sha3sum`, `sha3short` and `shortHash` (`spec/api-syncagent.md §14.1`). One map serves all templates.
 */
export function agentFunctions(options: AgentFunctionsOptions): FunctionMap {
  return { ...sprigFunctions(options), ...ownFunctions };
}
