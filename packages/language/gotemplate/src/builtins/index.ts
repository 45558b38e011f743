import { assignConverting } from '../exec/assignable.js';
import { print, println } from '../fmt/print.js';
import { printf } from '../fmt/printf.js';
import { fn, type FunctionMap, isTemplateFunction, variadicFn } from '../template-function.js';
import { isNil, isTrue, typeName } from '../values/types.js';
import { comparisons } from './comparison.js';
import { escapes } from './escapes.js';
import { indexing } from './indexing.js';

/** Functions of every template. */
export const builtins: FunctionMap = {
  ...comparisons,
  ...indexing,
  ...escapes,
  and: { parameters: ['any'], variadic: 'any', shortCircuit: false, call: (args) => args.at(-1) },
  or: { parameters: ['any'], variadic: 'any', shortCircuit: true, call: (args) => args.at(-1) },
  not: fn(['any'], (value) => !isTrue(value)),
  print: variadicFn([], 'any', (args, { budget }) => print(args, budget)),
  println: variadicFn([], 'any', (args, { budget }) => println(args, budget)),
  printf: variadicFn(['string'], 'any', (format, args, { budget }) => printf(format, args, budget)),
  call: variadicFn(['any'], 'any', (called, args, context) => {
    if (isNil(called)) throw new Error('call of nil');
    if (!isTemplateFunction(called)) throw new Error(`non-function of type ${typeName(called)}`);
    const { parameters, variadic } = called;
    if (variadic === undefined ? args.length !== parameters.length : args.length < parameters.length) {
      throw new Error(
        `wrong number of args: got ${args.length} want ${variadic === undefined ? '' : 'at least '}${parameters.length}`,
      );
    }
    return called.call(
      args.map((arg, index) => assignConverting(arg, parameters[index] ?? variadic ?? 'any')),
      context,
    );
  }),
};
