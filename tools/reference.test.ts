import { describe, expect, it } from '@jest/globals';
import { commandsMarkdown, commandsOf, parseHelp } from './reference/commands.ts';
import { fieldsMarkdown, fieldsOf, type Schema } from './reference/config.ts';

const main = 'does things.\n\nUsage:\n  hawser run [flags]\n  hawser why KIND NAME    says why\n                          also of agents\n  hawser diff crd OLD NEW\n  hawser version\n\nFlags of run:\n      --roles string\n          which | roles (default a)\n';
const why = 'Says why.\n\nUsage:\n  hawser why KIND NAME [flags]\n  hawser why --roles agent …\n\nFlags:\n  -n, --namespace string\n          where\n      --old\n          accepted for compatibility\n';
const agent = 'Of agents.\n\nUsage:\n  hawser why --roles agent KIND NAME\n\nFlags:\n      --kcp string\n          of <kcp>\n';
const diff = 'Compares.\n\nUsage:\n  hawser diff crd OLD NEW\n\nFlags:\n  -v, --v string\n          verbosity\n';
const texts: Readonly<Record<string, string>> = { '--help': main, 'run --help': main, 'why --help': why, 'why --roles agent --help': agent, 'diff crd --help': diff };
const help = (args: readonly string[]): string => texts[args.join(' ')] ?? '';

describe('the help of a command', () => {
  it('is read: what it is for, its usage, its flags with their defaults', () => {
    expect(parseHelp(main)).toEqual({
      about: 'does things.',
      usage: ['hawser run [flags]', 'hawser why KIND NAME    says why', '                        also of agents', 'hawser diff crd OLD NEW', 'hawser version'],
      flags: [{ name: '--roles', default: 'a', help: 'which | roles' }],
    });
  });

  it('is refused where a line is neither a flag nor the words for one', () => {
    expect(() => parseHelp('x\n\nUsage:\n  hawser x\n\nFlags:\nnothing known\n')).toThrow('nothing known');
  });
});

describe('the page of commands', () => {
  it('has every command that the help names, and its variants', () => {
    expect(commandsOf(help).map((words) => words.join(' '))).toEqual(['run', 'why', 'why --roles agent', 'diff crd']);
  });

  it('has every flag, what it is for, and last those without effect', () => {
    const text = commandsMarkdown(help);
    expect(text).toContain('### hawser run\n\n```\nhawser run [flags]\n```\n\n| flag | default | |\n| --- | --- | --- |\n| `--roles` | `a` | which \\| roles |');
    expect(text).toContain('### hawser why --roles agent\n\nOf agents.');
    expect(text).toContain('| `--kcp` |  | of &lt;kcp> |');
    expect(text).toContain('| `-v` |  | verbosity |');
    expect(text).toContain('Accepted for compatibility, without effect: `--old`.');
  });
});

const schema: Schema = {
  properties: {
    mode: { description: 'Words.', type: 'string', enum: ['a', 'b'], default: 'a' },
    role: {
      default: {},
      properties: {
        path: { description: 'Path.', type: 'string', default: '' },
        count: { description: 'How many *.', type: 'integer', minimum: 1, maximum: 5, default: 2 },
        agents: { default: [], items: { required: ['name'], properties: { name: { description: 'Its name.', type: 'string' }, lease: { description: 'Of agents.', default: { path: 'x' }, properties: { path: { description: 'Path.', type: 'string', default: '' } } } } } },
      },
    },
  },
};

describe('the fields of the config file', () => {
  const fields = fieldsOf(schema);

  it('are all there, with their descriptions', () => {
    expect(fields.map(({ path, description }) => [path, description])).toEqual([
      ['mode', 'Words.'], ['role', undefined], ['role.path', 'Path.'], ['role.count', 'How many *.'], ['role.agents', undefined], ['role.agents[].name', 'Its name.'],
      ['role.agents[].lease', 'Of agents.'], ['role.agents[].lease.path', 'Path.'],
    ]);
  });

  it('have their defaults, also one that an object gives, and their values', () => {
    expect(fields.map((field) => [field.default, field.values])).toEqual([
      ['`a`', '`a`, `b`'], ['', ''], ['empty', ''], ['`2`', 'integer, at least 1, at most 5'], ['`[]`', 'list'], ['required', ''], ['', ''], ['`x`', ''],
    ]);
  });

  it('stand in a table for each role', () => {
    const text = fieldsMarkdown(fields, ['role']);
    expect(text).toContain('### The process\n\n| field | default | values | |\n| --- | --- | --- | --- |\n| `mode` | `a` | `a`, `b` | Words. |\n\n### role\n');
    expect(text).toContain('| `role.count` | `2` | integer, at least 1, at most 5 | How many \\*. |');
  });
});
