import { describe, expect, it } from '@jest/globals';
import { compile, type CompileOptions } from './compile.js';
import { TemplateError } from './template-error.js';
import { fn, type FunctionMap } from './template-function.js';
import { float64, GoNumber, int } from './values/go-number.js';
import { GoObject } from './values/go-object.js';

const render = (text: string, data: unknown = {}, options: CompileOptions = {}): string =>
  compile(text, options).render(data);

function failure(text: string, data: unknown = {}, options: CompileOptions = {}): TemplateError {
  try {
    render(text, data, options);
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
  throw new Error(`${text} does not fail`);
}

describe('data', () => {
  it('keeps integers of 64 bits exactly', () => {
    expect(
      render('{{ .max }} {{ .min }} {{ eq .max 9223372036854775807 }}', {
        max: 9223372036854775807n,
        min: -9223372036854775808n,
      }),
    ).toBe('9223372036854775807 -9223372036854775808 true');
  });

  it('takes numbers that are no integers of 64 bits for doubles', () => {
    expect(render('{{ .a }} {{ .b }} {{ .c }}', { a: 2.5, b: 9223372036854775808n, c: 1e21 })).toBe(
      '2.5 9.223372036854776e+18 1e+21',
    );
  });

  it('has no keys but its own', () => {
    expect(render('{{ .constructor }}|{{ .toString }}|{{ .__proto__ }}|{{ .list.length }}', { list: {} })).toBe(
      '<no value>|<no value>|<no value>|<no value>',
    );
    expect(render('{{ .__proto__ }} {{ index . "__proto__" }} {{ len . }}', JSON.parse('{"__proto__":"a key"}'))).toBe(
      'a key a key 1',
    );
  });

  it('has no methods that JavaScript gives to values', () => {
    for (const text of [
      '{{ .text.length }}',
      '{{ .list.length }}',
      '{{ .number.toFixed }}',
      '{{ .text.constructor }}',
      '{{ .list.map }}',
    ]) {
      expect(failure(text, { text: 'a', list: [1], number: 1 }).code).toBe('execution');
    }
  });

  it('tells a missing key from a null', () => {
    expect(render('{{ .missing.a }}')).toBe('<no value>');
    expect(failure('{{ .null.a }}', { null: null }).detail).toBe('nil pointer evaluating interface {}.a');
  });

  it('may be anything at the top', () => {
    expect(render('{{ . }}', 'a')).toBe('a');
    expect(compile('{{ . }}').render(undefined)).toBe('<no value>');
    expect(render('{{ range . }}{{ . }},{{ end }}', [1, 2])).toBe('1,2,');
  });

  it('is compared by characters as Go does, beyond the basic plane, too', () => {
    expect(render('{{ range $k, $v := . }}{{ $k }} {{ end }}{{ lt "\ue000" "😀" }}', { '😀': 1, '\ue000': 2 })).toBe(
      '\ue000 😀 true',
    );
  });
});

describe('objects with methods', () => {
  const held = new GoObject({
    type: 'test.Value',
    fields: { Name: 'n', Inner: { a: 1 } },
    text: () => 'text <b>',
    methods: () => ({
      Greet: fn(['string'], (name) => `hello ${name}`),
      Count: fn([], () => int(3)),
      Fails: fn([], () => {
        throw new Error('broken');
      }),
    }),
  });

  it('are called with and without arguments, and piped into', () => {
    expect(
      render('{{ .v.Greet "a" }} {{ "b" | .v.Greet }} {{ .v.Count }} {{ (.v).Count }} {{ printf "%d" .v.Count }}', {
        v: held,
      }),
    ).toBe('hello a hello b 3 3 3');
  });

  it('print their text, and have fields', () => {
    expect(
      render('{{ .v }} {{ .v.Name }} {{ .v.Inner.a }} {{ if .v }}true{{ end }} {{ printf "%T %s" .v .v }}', {
        v: held,
      }),
    ).toBe('text <b> n 1 true test.Value text <b>');
    expect(render('{{ .v }}', { v: held }, { html: true })).toBe('text &lt;b&gt;');
  });

  it('refuse what they do not have, and wrong arguments', () => {
    expect(failure('{{ .v.Nothing }}', { v: held }).detail).toBe("can't evaluate field Nothing in type test.Value");
    expect(failure('{{ .v.Name 1 }}', { v: held }).detail).toBe('Name has arguments but cannot be invoked as function');
    expect(failure('{{ .v.Greet }}', { v: held }).detail).toBe('wrong number of args for Greet: want 1 got 0');
    expect(failure('{{ .v.Greet 1 }}', { v: held }).detail).toBe('expected string; found 1');
    expect(failure('{{ .v.Fails }}', { v: held }).detail).toBe('error calling Fails: broken');
  });
});

describe('functions', () => {
  const functions: FunctionMap = {
    twice: fn(['int'], (value) => int(value * 2)),
    half: fn(['float64'], (value) => float64(value / 2)),
    one: fn([], () => float64(1)),
    byte: fn([], () => new GoNumber('uint8', 7n)),
    refusedOne: { refused: 'it would do harm' },
  };

  it('get what they ask for, and nothing like it', () => {
    expect(
      render(
        '{{ twice 4 }} {{ twice 0x10 }} {{ twice (len "abc") }} {{ half 3 }} {{ half 2.5 }} {{ half one }}',
        {},
        { functions },
      ),
    ).toBe('8 32 6 1.5 1.25 0.5');
    for (const text of [
      '{{ twice "4" }}',
      '{{ twice 4.5 }}',
      '{{ twice .n }}',
      '{{ twice byte }}',
      '{{ twice .missing }}',
      '{{ twice nil }}',
      '{{ half .n }}',
      '{{ half (twice 2) }}',
    ]) {
      expect(failure(text, { n: 4 }, { functions }).code).toBe('execution');
    }
  });

  it('are called as values by call', () => {
    expect(render('{{ call .f 21 }}', { f: functions['twice'] })).toBe('42');
    // Unlike in a command, integers of any type will do.
    expect(render('{{ call .f .n }}', { f: functions['twice'], n: 21 })).toBe('42');
    expect(failure('{{ call .f 1 2 }}', { f: functions['twice'] }).code).toBe('execution');
  });

  it('that are unknown or refused are found when the template is compiled', () => {
    expect(failure('a\n{{ if false }}{{ nothing }}{{ end }}', {}, { functions })).toMatchObject({
      code: 'function',
      line: 2,
      detail: 'function "nothing" not defined',
    });
    expect(failure('{{ refusedOne }}', {}, { functions })).toMatchObject({
      code: 'refused',
      detail: 'function "refusedOne" is not offered: it would do harm',
    });
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty'])
      expect(failure(`{{ ${name} }}`).code).toBe('function');
  });

  it('take the place of those that every template has', () => {
    expect(render('{{ len "abc" }}', {}, { functions: { len: fn(['any'], () => 'mine') } })).toBe('mine');
  });
});

describe('messages', () => {
  it('name the template, the place, and what was being done', () => {
    expect(failure('a\n  {{ .name.first }}', { name: 'x' }, { name: 'spec.naming.name' }).message).toBe(
      'template: spec.naming.name:2:10: executing "spec.naming.name" at <.name.first>: can\'t evaluate field first in type string',
    );
    expect(
      failure('{{ define "part" }}{{ index . 5 }}{{ end }}{{ template "part" .list }}', { list: [] }),
    ).toMatchObject({ template: 'template', line: 1, column: 22 });
    expect(failure('\n\n{{ "open', {}, { name: 'n' }).message).toBe('template: n:3: unterminated quoted string');
  });

  it('count columns in bytes', () => {
    expect(failure('é{{ .a.b }}', { a: 1 })).toMatchObject({ line: 1, column: 7 });
  });

  it('never quote the data', () => {
    const secret = { secret: 'hunter2', list: ['hunter2'], map: { hunter2: 'hunter2' } };
    for (const text of [
      '{{ range .secret }}{{ end }}',
      '{{ .secret.x }}',
      '{{ index .list 9 }}',
      '{{ lt .secret 1 }}',
      '{{ eq .map .map }}',
      '{{ slice .secret 99 }}',
      '{{ call .secret }}',
      '{{ len 1 }}{{ .secret }}',
      '{{ template "hunter3" .secret }}',
      '{{ index .map .secret 99 }}',
      '{{ .list.x }}',
      '{{ not .secret .secret }}',
      '{{ .secret | .secret }}',
    ])
      expect(failure(text, secret).message).not.toContain('hunter2');
  });
});

describe('numbers that are left out', () => {
  it('are imaginary ones', () => {
    for (const text of ['{{ 1i }}', '{{ 1+2i }}', '{{ eq 2i 2i }}'])
      expect(failure(text)).toMatchObject({
        code: 'syntax',
        detail: expect.stringContaining('complex numbers are not supported'),
      });
  });
});

describe('limits', () => {
  it.each([
    ['endless work', '{{ range 1000000000000 }}{{ end }}'],
    ['work in work', '{{ range 100000 }}{{ range 100000 }}{{ end }}{{ end }}'],
    ['templates that call themselves', '{{ define "a" }}{{ template "a" }}{{ end }}{{ template "a" }}'],
    ['texts that double', '{{ $x := "xxxxxxxx" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}'],
    ['wide numbers', '{{ range 100000 }}{{ $x := printf "%100000d" 1 }}{{ end }}'],
  ])('end %s', (_, text) => {
    expect(failure(text).code).toBe('limit');
  });

  it('end long outputs', () => {
    expect(failure('{{ range 1000 }}{{ $.text }}{{ end }}', { text: 'a'.repeat(10_000) }).code).toBe('limit');
    expect(render('{{ .text }}', { text: 'a'.repeat(1_048_576) })).toHaveLength(1_048_576);
    expect(failure('{{ .text }}', { text: 'aaaa' }, { limits: { output: 3 } })).toMatchObject({
      code: 'limit',
      detail: 'more than 3 characters of output',
    });
  });

  it('can be set', () => {
    expect(render('{{ range 10 }}{{ . }}{{ end }}', {}, { limits: { steps: 100 } })).toBe('0123456789');
    expect(failure('{{ range 100 }}{{ . }}{{ end }}', {}, { limits: { steps: 100 } })).toMatchObject({
      code: 'limit',
      detail: 'more than 100 steps',
    });
  });

  it('hold for each rendering', () => {
    const template = compile('{{ range 10 }}{{ . }}{{ end }}', { limits: { steps: 100 } });
    for (let round = 0; round < 20; round++) expect(template.render({})).toHaveLength(10);
  });

  it('end templates that nest too deep', () => {
    expect(failure(`${'{{ if true }}'.repeat(1000)}${'{{ end }}'.repeat(1000)}`).code).toBe('limit');
    expect(failure(`{{ ${'('.repeat(1000)}1${')'.repeat(1000)} }}`).code).toBe('limit');
    expect(failure(`{{ if false }}${'{{ else if false }}'.repeat(1000)}{{ end }}`).code).toBe('limit');
  });
});

describe('html', () => {
  it('escapes values and leaves text', () => {
    expect(render('& "{{ .text }}" [{{ .missing }}]', { text: '<a href="x">\'+&\0' }, { html: true })).toBe(
      '& "&lt;a href=&#34;x&#34;&gt;&#39;&#43;&amp;\ufffd" []',
    );
  });

  it('refuses text that is markup', () => {
    for (const text of [
      '<b>{{ . }}</b>',
      '<a href="{{ . }}">',
      '<script>{{ . }}</script>',
      '{{ if true }}<p>{{ end }}',
      '{{ define "x" }}</p>{{ end }}',
      '<!-- {{ . }} -->',
      '<!DOCTYPE html>',
    ]) {
      expect(failure(text, 'x', { html: true }).code).toBe('markup');
    }
    expect(render('1 < 2 {{ . }}', 'x', { html: true })).toBe('1 &lt; 2 x');
  });
});
