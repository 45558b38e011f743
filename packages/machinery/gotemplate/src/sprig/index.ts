import type { FunctionMap } from '../template-function.js';
import type { SprigOptions } from './options.js';

/** The text functions of sprig 3.3.0. */
export function sprigFunctions(options: SprigOptions): FunctionMap {
  void options;
  return {};
}
