import { describe, expect, it } from '@jest/globals';
import type { FieldError } from './field-error.js';
import {
  duplicate,
  forbidden,
  internalError,
  invalid,
  notFound,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from './field-errors.js';
import { formatFieldError, invalidStatusMessage, toStatusCauses } from './status-message.js';

describe('messages', () => {
  it.each<[FieldError, string]>([
    [invalid('a.b', 'x"\n', 'no'), String.raw`a.b: Invalid value: "x\"\n": no`],
    [
      invalid('a', { b: '<', a: [1, null, 2n ** 60n] }, 'no'),
      String.raw`a: Invalid value: {"a":[1,null,1152921504606846976],"b":"\u003c"}: no`,
    ],
    [invalid('a', 1_000_000.5, 'no'), 'a: Invalid value: 1.0000005e+06: no'],
    [invalid('a', 1_000_000, 'no'), 'a: Invalid value: 1000000: no'],
    [invalid('a', 0.000_01, 'no'), 'a: Invalid value: 1e-05: no'],
    [invalid('a', 2n ** 64n, 'no'), 'a: Invalid value: 1.8446744073709552e+19: no'],
    [invalid('', null, 'no'), '<nil>: Invalid value: null: no'],
    [{ ...invalid('a', '', 'no'), shown: '{"Go":1}' }, 'a: Invalid value: {"Go":1}: no'],
    [typeInvalid('a', true, 'no'), 'a: Invalid value: true: no'],
    [required('a'), 'a: Required value'],
    [required('a', 'because'), 'a: Required value: because'],
    [duplicate('a[0]', 'x'), 'a[0]: Duplicate value: "x"'],
    [forbidden('a', 'never'), 'a: Forbidden: never'],
    [notFound('a', 'x'), 'a: Not found: "x"'],
    [internalError('a', 'oh'), 'a: Internal error: oh'],
    [notSupported('a', 'x', ['b"', 'c']), String.raw`a: Unsupported value: "x": supported values: "b\"", "c"`],
    [notSupported('a', 'x', []), 'a: Unsupported value: "x"'],
    [tooLong('a', 1), 'a: Too long: may not be more than 1 byte'],
    [tooMany('a', 3, 2), 'a: Too many: 3: must have at most 2 items'],
    [tooMany('a', undefined, 1), 'a: Too many: must have at most 1 item'],
  ])('%j', (error, line) => {
    expect(formatFieldError(error)).toBe(line);
  });

  it('of a Status say each line once, and a single one without brackets', () => {
    const kind = { group: 'example.com', kind: 'Database' };
    expect(invalidStatusMessage(kind, 'x', [required('a'), required('b'), required('a')])).toBe(
      'Database.example.com "x" is invalid: [a: Required value, b: Required value]',
    );
    expect(invalidStatusMessage({ group: '', kind: 'Pod' }, 'x', [required('a'), required('a')])).toBe(
      'Pod "x" is invalid: a: Required value',
    );
    expect(invalidStatusMessage(kind, 'x', [])).toBe('Database.example.com "x" is invalid');
    expect(toStatusCauses([required('a'), required('a')])).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value', field: 'a' },
      { reason: 'FieldValueRequired', message: 'Required value', field: 'a' },
    ]);
  });
});
