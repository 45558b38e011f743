import { describe, expect, it } from '@jest/globals';
import type { JsonSchemaProps } from '@hawser/schema';
import { checkRule, checkRules } from './check-rules.js';

const numbers: JsonSchemaProps = { type: 'object', properties: { n: { type: 'integer' } } };
const context = {
  index: 2,
  path: 'here',
  schema: numbers,
  isResource: false,
  maxCardinality: undefined,
  uncorrelatable: undefined,
};

describe('one rule', () => {
  it('is refused where it stands, shown with the names of the Go type', () => {
    expect(checkRule({ ...context, rule: { rule: 'self.x > 1' } })).toEqual({
      errors: [
        {
          type: 'FieldValueInvalid',
          path: 'here.x-kubernetes-validations[2].rule',
          value: {
            Rule: 'self.x > 1',
            Message: '',
            MessageExpression: '',
            Reason: null,
            FieldPath: '',
            OptionalOldSelf: null,
          },
          shown:
            '{"Rule":"self.x \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}',
          detail: "compilation failed: ERROR: <input>:1:5: undefined field 'x'\n | self.x > 1\n | ....^",
        },
      ],
      unsupported: [],
    });
  });

  it('sees the metadata of a resource only', () => {
    const rule = { rule: 'self.metadata.name != ""' };
    expect(checkRule({ ...context, rule }).errors).toHaveLength(1);
    expect(checkRule({ ...context, rule, isResource: true }).errors).toEqual([]);
  });

  it('has no old value where old values cannot be followed', () => {
    const rule = { rule: 'self.n == oldSelf.n' };
    expect(checkRule({ ...context, rule }).errors).toEqual([]);
    expect(checkRule({ ...context, rule, uncorrelatable: 'there' }).errors.map(({ detail }) => detail)).toEqual([
      'oldSelf cannot be used on the uncorrelatable portion of the schema within there',
    ]);
  });

  it('is called unsupported, and by what, rather than taken', () => {
    const rule = { rule: 'google.protobuf.Duration{seconds: 1} == duration("1s")' };
    expect(checkRule({ ...context, rule })).toEqual({
      errors: [],
      unsupported: [
        { path: 'here.x-kubernetes-validations[2].rule', feature: 'message literal google.protobuf.Duration{}' },
      ],
    });
  });
});

describe('the rules of a schema', () => {
  it('are not compiled above one that is wrong in form', () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      properties: { n: { type: 'integer', 'x-kubernetes-validations': [{ rule: ' ' }] } },
      'x-kubernetes-validations': [{ rule: 'self.x' }],
    };
    expect(checkRules(schema, '$').errors).toEqual([
      {
        type: 'FieldValueRequired',
        path: '$.properties[n].x-kubernetes-validations[0].rule',
        detail: 'rule is not specified',
      },
    ]);
  });
});
