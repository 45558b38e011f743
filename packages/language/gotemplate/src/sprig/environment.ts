import { fn, type FunctionMap, type RefusedFunction } from '../template-function.js';
import type { SprigOptions } from './options.js';

const noNetwork: RefusedFunction = { refused: 'templates do not reach the network' };

// `$name`, `${name}`, and the special names of one character.
const REFERENCE = /\$(?:\{([^}]*)\}|([A-Za-z0-9_]+|[*#$@!?-]))/gu;

export function environment({ environment: variables = {} }: SprigOptions): FunctionMap {
  const valueOf = (name: string): string => (Object.hasOwn(variables, name) ? (variables[name] ?? '') : '');
  return {
    env: fn(['string'], valueOf),
    expandenv: fn(['string'], (text, { budget }) =>
      text.replace(REFERENCE, (_, braced: string | undefined, plain: string | undefined) => {
        const value = valueOf(braced ?? plain ?? '');
        budget.charge(value.length);
        return value;
      }),
    ),
    getHostByName: noNetwork,
  };
}
