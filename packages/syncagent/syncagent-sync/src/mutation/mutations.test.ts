import type { UnstructuredObject } from '@hawser/client';
import { parse, stringify } from '@hawser/json';
import type { ResourceMutation } from '@hawser/syncagent-api';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileMutations, repeatableFunctions, type Mutations } from './index.js';
import { MutationError } from './mutation-error.js';
import { functions } from './testing/functions.js';

const app = (spec: object, status: object = {}): UnstructuredObject => ({
  apiVersion: 'example.com/v1',
  kind: 'App',
  metadata: { name: 'shop', namespace: 'team-a' },
  spec,
  status,
});

function compiled(spec: readonly ResourceMutation[], status: readonly ResourceMutation[] = []): Mutations {
  const compilation = compileMutations({ spec: [...spec], status: [...status] }, { functions });
  if (compilation.kind === 'refused') throw new Error(JSON.stringify(compilation.findings));
  return compilation.value;
}

function findings(...steps: readonly ResourceMutation[]) {
  const compilation = compileMutations({ spec: [...steps] }, { functions });
  return compilation.kind === 'refused' ? compilation.findings : compilation.warnings;
}

const specAfter = (spec: object, ...steps: readonly ResourceMutation[]): unknown =>
  compiled(steps).spec(app(spec), undefined)['spec'];
const cel = (path: string, expression: string): ResourceMutation => ({ cel: { path, expression } });
const template = (path: string, text: string): ResourceMutation => ({ template: { path, template: text } });
const regex = (path: string, pattern: string, replacement: string): ResourceMutation => ({
  regex: { path, pattern, replacement },
});

const containing = (text: string): unknown => expect.stringContaining(text);

function failure(run: () => unknown): MutationError {
  try {
    run();
  } catch (error) {
    if (error instanceof MutationError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('numbers', () => {
  const limits = '{"max":9223372036854775807,"odd":9007199254740993,"n":7,"long":1234567}';
  const spec = parse(limits) as object;

  it('stay exact through every kind of step, where the Go agent makes doubles of them', () => {
    const steps = [
      cel('spec.a', '"x"'),
      template('spec.b', '{{ .LocalObject.spec.long }}'),
      regex('spec.c', '', 'y'),
      { delete: { path: 'spec.c' } },
    ];
    expect(stringify(specAfter(spec, ...steps))).toBe(
      '{"max":9223372036854775807,"odd":9007199254740993,"n":7,"long":1234567,"a":"x","b":"1234567"}',
    );
    expect(specAfter(spec, cel('spec.max', 'value'), cel('spec.odd', 'self.spec.odd + 1'))).toMatchObject({
      max: 9223372036854775807n,
      odd: 9007199254740994n,
    });
    expect(specAfter(spec, cel('spec.n', '9223372036854775807'))).toMatchObject({ n: 9223372036854775807n });
  });

  it('of both kinds can be put together in CEL', () => {
    expect(specAfter(spec, cel('spec.n', 'value + 42'))).toMatchObject({ n: 49 });
    expect(specAfter(spec, cel('spec.n', 'self.spec.n * 1.5 - 1u'))).toMatchObject({ n: 9.5 });
    expect(specAfter(spec, cel('spec.n', 'self.spec.n / 2.0'))).toMatchObject({ n: 3.5 });
  });

  it('in self are integers after other steps, too', () => {
    expect(specAfter(spec, regex('spec.a', '', 'x'), cel('spec.n', 'self.spec.n / 2'))).toMatchObject({ n: 3 });
  });
});

describe('what CEL yields', () => {
  it.each([
    ['[1, "a", null, {"b": [2.5]}]', [1, 'a', null, { b: [2.5] }]],
    ['{"k": self.spec.list.map(i, i * 2), "n": null}', { k: [2, 4], n: null }],
    ['null', null],
    ['self.spec', { list: [1, 2], image: 'x' }],
    ['self.spec.list.filter(i, i > 1)', [2]],
    ['{1: true, false: 2u}', { 1: true, false: 2 }],
    ['b"abc"', 'YWJj'],
    ['duration("90m")', '5400s'],
    ['timestamp("2024-01-02T03:04:05Z")', '2024-01-02T03:04:05Z'],
    ['{"__proto__": 1}', JSON.parse('{"__proto__":1}')],
  ])('%s is written as it is', (expression, expected) => {
    expect((specAfter({ list: [1, 2], image: 'x' }, cel('spec.out', expression)) as { out: unknown }).out).toEqual(
      expected,
    );
  });

  it.each(['type(1)', '0.0 / 0.0', 'quantity("1Gi")', '1.0 / 0.0'])(
    '%s is not a value of JSON, and fails',
    (expression) => {
      expect(failure(() => specAfter({}, cel('spec.out', expression))).path).toBe('spec.mutation.spec[0].cel');
    },
  );
});

describe('templates', () => {
  it('know Self and Other besides the names of the Go agent', () => {
    const other = app({ image: 'local' });
    const { spec } = compiled([
      template(
        'spec.out',
        '{{ .Self.spec.image }} {{ .Other.spec.image }} {{ .LocalObject.spec.image }} {{ .RemoteObject.spec.image }}',
      ),
    ]);
    expect(spec(app({ image: 'kcp' }), other)['spec']).toMatchObject({ out: 'kcp local kcp local' });
  });

  it('do without the other object where there is none', () => {
    expect(specAfter({}, template('spec.out', '[{{ .RemoteObject.spec.image }}]'))).toEqual({ out: '[]' });
  });

  it('escape values, not their own text', () => {
    expect(specAfter({ v: '<a> & "b"' }, template('spec.v', 'x & "y" {{ .Value }}'))).toEqual({
      v: 'x & "y" &lt;a&gt; &amp; &#34;b&#34;',
    });
  });
});

describe('what differs from the Go agent', () => {
  it('.Value has no Index', () => {
    expect(failure(() => specAfter({ a: 1 }, template('spec.a', '{{ .Value.Index }}'))).reason).toContain('Index');
  });

  it('CEL has the functions of rules in CRDs', () => {
    expect(
      specAfter({ memory: '2Gi' }, cel('spec.large', 'quantity(self.spec.memory).isGreaterThan(quantity("1Gi"))')),
    ).toMatchObject({ large: true });
    expect(specAfter({ name: 'a-b' }, cel('spec.name', 'value.split("-").join("_").upperAscii()'))).toEqual({
      name: 'A_B',
    });
  });
});

describe('the same objects give the same result', () => {
  const steps = [
    regex('status.phase', 'Ready', 'Up'),
    cel('status.count', 'value + 1.0'),
    template('status.text', '{{ .LocalObject.status.count }}'),
    cel('status.big', 'self.status.big'),
  ];
  const { status } = compiled([], steps);

  it('a status comes out as it went in last time: no reconcile finds a difference', () => {
    const copy = app({}, { phase: 'Ready', count: 3, big: 9007199254740993n, load: 0.5 });
    const source = app({});
    const first = status(copy, source);
    expect(first['status']).toEqual({ phase: 'Up', count: 4, big: 9007199254740993n, load: 0.5, text: '4' });
    // What a server keeps of it is the same, too.
    expect(parse(stringify(first))).toEqual(first);
    expect(status(parse(stringify(copy)) as unknown as UnstructuredObject, first)).toEqual(first);
  });

  it('whatever the objects', () => {
    const leaf = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.record({ phase: leaf, count: fc.integer(), big: leaf }), (values) => {
        const copy = app({}, values);
        const before = stringify(copy);
        expect(stringify(status(copy, copy))).toBe(stringify(status(copy, copy)));
        expect(stringify(copy)).toBe(before);
      }),
    );
  });

  it('functions that never answer twice the same are refused', () => {
    const random = { ...functions, uuidv4: { refused: 'not this one' } };
    expect(repeatableFunctions(random)['uuidv4']).toEqual({ refused: containing('differently each time') });
    const list = findings(template('spec.id', '{{ uuidv4 }}'));
    expect(list).toEqual([
      {
        severity: 'error',
        path: 'spec.mutation.spec[0].template.template',
        message: containing('differently each time'),
      },
    ]);
  });

  it.each(['{{ now | date "2006" }}', '{{ if .Value.Exists }}{{ ago now }}{{ end }}'])(
    '%s depends on the time: that is a warning',
    (text) => {
      expect(findings(template('spec.a', text))).toEqual([
        {
          severity: 'warning',
          path: 'spec.mutation.spec[0].template.template',
          message: containing('depends on the time'),
        },
      ]);
      expect(specAfter({}, template('spec.a', '{{ now | date "2006" }}'))).toEqual({ a: '2026' });
    },
  );

  it('no steps are no copy', () => {
    const object = app({});
    expect(compiled([]).spec(object, undefined)).toBe(object);
  });
});

describe('what says which object it is', () => {
  it('stays, and the author is told', () => {
    const steps = [
      cel('metadata.name', '"other"'),
      regex('kind', '', 'Other'),
      { delete: { path: 'metadata.namespace' } },
      cel('metadata.labels.a', '"b"'),
    ];
    expect(compiled(steps).spec(app({ a: 1 }), undefined)).toEqual({
      ...app({ a: 1 }),
      metadata: { name: 'shop', namespace: 'team-a', labels: { a: 'b' } },
    });
    expect(findings(...steps).map(({ severity, path }) => `${severity} ${path}`)).toEqual([
      'warning spec.mutation.spec[0]',
      'warning spec.mutation.spec[1]',
      'warning spec.mutation.spec[2]',
    ]);
  });

  it('is not made up where the original has none', () => {
    const clusterScoped: UnstructuredObject = { apiVersion: 'v1', kind: 'App', metadata: { name: 'a' } };
    expect(compiled([cel('metadata.namespace', '"x"')]).spec(clusterScoped, undefined)).toEqual(clusterScoped);
  });

  it('nothing is left of it: that is an error', () => {
    expect(failure(() => compiled([cel('metadata', '"gone"')]).spec(app({}), undefined)).message).toBe(
      'spec.mutation.spec: the steps leave no metadata',
    );
  });
});

describe('what is wrong with the steps', () => {
  it('is listed all at once, with the path of each field', () => {
    const compilation = compileMutations(
      {
        spec: [
          regex('spec.a', '(', ''),
          template('spec.a', '{{ nope }}'),
          {},
          { delete: { path: 'spec.*' } },
          cel('spec.a', '1 +'),
        ],
        status: [
          cel('', '1'),
          template('status.a', '<a href="{{ .Value }}">'),
          { delete: { path: '' } },
          { regex: { path: '' } },
        ],
      },
      { functions, path: 'spec.related[2].mutation' },
    );
    expect(compilation.kind).toBe('refused');
    if (compilation.kind !== 'refused') return;
    expect(compilation.findings.every(({ severity }) => severity === 'error')).toBe(true);
    expect(compilation.findings.map(({ path, message }) => `${path}: ${message.split('\n')[0] ?? ''}`)).toEqual([
      'spec.related[2].mutation.spec[0].regex.pattern: invalid regular expression: missing closing ): `(`',
      'spec.related[2].mutation.spec[1].template.template: template: mutation:1: function "nope" not defined',
      'spec.related[2].mutation.spec[2]: needs one of delete, regex, template, cel',
      'spec.related[2].mutation.spec[3].delete.path: nothing can be deleted at spec.*: it is not a plain path of keys and indexes',
      expect.stringMatching(/^spec\.related\[2\]\.mutation\.spec\[4\]\.cel\.expression: .*Syntax error/u),
      'spec.related[2].mutation.status[0].cel.path: is empty',
      expect.stringMatching(/^spec\.related\[2\]\.mutation\.status\[1\]\.template\.template: .*opens HTML markup/u),
      'spec.related[2].mutation.status[2].delete.path: the path is empty',
      'spec.related[2].mutation.status[3].regex.path: is empty',
    ]);
  });

  it('several mechanisms: the first counts, and the author is told', () => {
    const step = { template: { path: 'spec.a', template: 't' }, cel: { path: 'spec.a', expression: '"c"' } };
    expect(findings(step)).toEqual([
      { severity: 'warning', path: 'spec.mutation.spec[0]', message: 'only template counts, not cel' },
    ]);
    expect(specAfter({}, step)).toEqual({ a: 't' });
  });
});

describe('what goes wrong with an object', () => {
  const secret = { token: 'hunter2', list: ['hunter2'], key: 'hunter2' };

  it.each([
    [cel('spec.out', 'self.spec.nope'), 'spec.mutation.spec[0].cel: the expression fails: no such key: nope'],
    [
      cel('spec.out', '1 / (size(self.spec.list) - 1)'),
      'spec.mutation.spec[0].cel: the expression fails: division by zero',
    ],
    [cel('spec.out', 'int(self.spec.token)'), containing('the expression fails')],
    [cel('spec.out', 'self.spec[self.spec.key]'), 'spec.mutation.spec[0].cel: the expression fails: no such key'],
    [cel('spec.out', 'timestamp(self.spec.token)'), containing('the expression fails')],
    [cel('spec.out', '"a".matches("(" + self.spec.token)'), containing('the expression fails')],
    [
      regex('spec.list.x', 'a', 'b'),
      'spec.mutation.spec[0].regex: nothing can be set at spec.list.x: "x" is not an index, and there is an array',
    ],
    [template('spec.out', '{{ .LocalObject.spec.token.deeper }}'), containing("can't evaluate field deeper")],
    [template('spec.out', '{{ index .LocalObject.spec.list 7 }}'), containing('out of range')],
  ])('%j says where and why, and never what is in the object', (step, message) => {
    const error = failure(() => specAfter(secret, step));
    expect(error.message).toEqual(message);
    expect(error.message).not.toContain('hunter2');
    expect(error.retryable).toBe(false);
    expect(error.code).toBe('MutationFailed');
  });
});
