import { describe, expect, it } from '@jest/globals';
import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js';
import type { Value as ProtoValue } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { type IncrementalTestSuite, getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { type Type, types } from './check/type.js';
import { compileExpression } from './environment.js';
import { Activation } from './activation.js';
import { UnsupportedExpression } from './unsupported.js';
import { list, NativeMap } from './values/collections.js';
import { describe as describeValue } from './values/describe.js';
import { equal } from './values/equal.js';
import { CelError } from './values/error.js';
import { TypeValue, Uint, type Value } from './values/value.js';

/** Parts of the language that API servers have. The others are about protocol buffers and other extensions. */
const sections = [
  'basic',
  'comparisons',
  'conversions',
  'dynamic',
  'fields',
  'fp_math',
  'integer_math',
  'lists',
  'logic',
  'macros',
  'macros2',
  'optionals',
  'parse',
  'plumbing',
  'string',
  'string_ext',
  'timestamps',
  'type_deductions',
];

/** Where an API server differs from the specification as well. */
const differences: readonly RegExp[] = [
  // Version 1 of the strings extension writes numbers the English way, and texts within lists and maps with quotes.
  /^string_ext\/format\/(?:default precision|scientific|dyntype support|dyntype NaN|.*infinity support|NaN support|list support|map support)/,
  // Version 2 finds nothing beyond the end.
  /^string_ext\/value_errors\/(?:last)?indexof_out_of_range/,
  // Of two equal keys the last one counts.
  /^fields\/qualified_identifier_resolution\/map_value_repeat_key/,
  // What is not an object has no fields, and an optional says so by being none.
  /^optionals\/optionals\/map_(?:null_entry_no_such_key|present_key_invalid_field)/,
];

/** What an API server, stricter than the specification, does not even compile. */
const refused = /undeclared reference to|expected type .* but found|found no matching overload|unsupported syntax: '`'/;

const valuesOf = (values: readonly ProtoValue[]): Value[] | undefined => {
  const converted = values.map(valueOf);
  return converted.every((value) => value !== undefined) ? converted : undefined;
};

/** A value of the suite; undefined for those of protocol buffers. */
function valueOf({ kind }: ProtoValue): Value | undefined {
  switch (kind.case) {
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'boolValue':
    case 'bytesValue':
      return kind.value;
    case 'uint64Value':
      return new Uint(kind.value);
    case 'nullValue':
      return null;
    case 'typeValue':
      return new TypeValue(kind.value);
    case 'listValue': {
      const values = valuesOf(kind.value.values);
      return values === undefined ? undefined : list(values);
    }
    case 'mapValue': {
      const entries = kind.value.entries.map(({ key, value }) =>
        key === undefined || value === undefined ? undefined : valuesOf([key, value]),
      );
      return entries.every((entry) => entry !== undefined)
        ? new NativeMap(entries.map(([key = null, value = null]) => [key, value]))
        : undefined;
    }
    case 'enumValue':
    case 'objectValue':
    case undefined:
      return undefined;
  }
}

type Outcome = { readonly value: Value } | { readonly error: string } | 'not applicable';

const expected = ({ resultMatcher }: SimpleTest): Outcome => {
  switch (resultMatcher.case) {
    case undefined:
      return { value: true };
    case 'value': {
      const value = valueOf(resultMatcher.value);
      return value === undefined ? 'not applicable' : { value };
    }
    case 'typedResult': {
      const value = resultMatcher.value.result === undefined ? undefined : valueOf(resultMatcher.value.result);
      return value === undefined ? 'not applicable' : { value };
    }
    case 'evalError':
      return { error: '' };
    case 'anyEvalErrors':
    case 'unknown':
    case 'anyUnknowns':
      return 'not applicable';
  }
};

const actual = ({ expr, bindings }: SimpleTest): Outcome => {
  const variables: Record<string, Type> = {};
  let activation = new Activation('#', null, undefined);
  for (const [name, { kind }] of Object.entries(bindings)) {
    const value = kind.case === 'value' ? valueOf(kind.value) : undefined;
    if (value === undefined) {
      return 'not applicable';
    }
    variables[name] = types.dyn;
    activation = new Activation(name, value, activation);
  }
  try {
    const program = compileExpression(expr, variables);
    if ('rejectedIn' in program) {
      return refused.test(program.reason) ? 'not applicable' : { error: program.reason };
    }
    return { value: program.run(activation) };
  } catch (error) {
    if (error instanceof UnsupportedExpression) {
      return 'not applicable';
    }
    if (error instanceof CelError) {
      return { error: error.message };
    }
    throw error;
  }
};

const isNaN = (value: Value): boolean => Number.isNaN(value);
const matches = (wanted: Outcome, found: Outcome): boolean => {
  if (wanted === 'not applicable' || found === 'not applicable' || 'error' in wanted || 'error' in found) {
    return typeof wanted === 'object' && 'error' in wanted && typeof found === 'object' && 'error' in found;
  }
  return equal(wanted.value, found.value) || (isNaN(wanted.value) && isNaN(found.value));
};

const show = (outcome: Outcome): string =>
  outcome === 'not applicable' ? outcome : 'value' in outcome ? describeValue(outcome.value) : outcome.error;

const testsOf = (suite: IncrementalTestSuite, path: string): (readonly [path: string, test: SimpleTest])[] => [
  ...suite.tests.map(({ original }): readonly [string, SimpleTest] => [`${path}/${original.name}`, original]),
  ...suite.suites.flatMap((part) => testsOf(part, `${path}/${part.name}`)),
];

describe('the conformance suite of the language', () => {
  const counts = { run: 0 };

  it.each(sections)('%s', (name) => {
    const section = getConformanceSuite().suites.find((suite) => suite.name === name);
    const failures: string[] = [];
    for (const [path, test] of section === undefined ? [] : testsOf(section, name)) {
      const [wanted, found] = [expected(test), actual(test)];
      if (wanted === 'not applicable' || found === 'not applicable' || differences.some((known) => known.test(path))) {
        continue;
      }
      counts.run += 1;
      if (!matches(wanted, found)) {
        failures.push(`${path}: ${test.expr}: ${show(found)} rather than ${show(wanted)}`);
      }
    }
    expect(failures).toEqual([]);
  });

  it('applies for the most part', () => {
    expect(counts.run).toBeGreaterThan(1100);
  });
});
