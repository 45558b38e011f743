import { describe, expect, it } from '@jest/globals';
import { commandsMarkdown } from './reference/commands.ts';
import { fieldsMarkdown, fieldsOf, type Schema } from './reference/config.ts';

describe('the page of commands', () => {
  const flags = [
    { name: 'kcp', short: 'k', kind: 'string', help: 'of <kcp>|*', default: 'a' },
    { name: 'v', kind: 'string', help: 'verbosity' },
    { name: 'old', kind: 'string', help: 'accepted for compatibility' },
  ] as const;
  const agent = {
    name: 'why',
    about: 'Of agents.',
    usage: ['hawser why --roles agent KIND NAME'],
    examples: [],
    flags: [],
  };
  const why = {
    name: 'why',
    about: 'Says why.\n\n  a   list',
    usage: ['hawser why KIND NAME', 'hawser why --all'],
    examples: [{ purpose: 'all of it', line: 'hawser why --all' }],
    flags,
    variants: [agent],
  };
  const text = commandsMarkdown(
    'hawser',
    [
      {
        title: 'Look',
        commands: [
          { call: 'why KIND NAME', purpose: 'why?' },
          { call: 'version', purpose: 'print it' },
        ],
      },
    ],
    [why],
  );

  it('has every command by its task', () => {
    expect(text).toContain(
      '| look | |\n| --- | --- |\n| `hawser why KIND NAME` | why? |\n| `hawser version` | print it |\n',
    );
  });

  it('has a section for each command and variant, with examples and flags, and last the flags without effect', () => {
    expect(text).toContain(
      '### hawser why\n\nSays why.\n\n```\n  a   list\n```\n\n```\nhawser why KIND NAME\nhawser why --all\n```\n\n```sh\n# all of it\nhawser why --all\n```\n\n| flag | default | |',
    );
    expect(text).toContain(
      '| `-k, --kcp` | `a` | of &lt;kcp>\\|\\* |\n| `-v` |  | verbosity |\n\nAccepted for compatibility, without effect: `--old`.',
    );
    expect(text).toContain('### hawser why --roles agent\n\nOf agents.');
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
        agents: {
          default: [],
          items: {
            required: ['name'],
            properties: {
              name: { description: 'Its name.', type: 'string' },
              lease: {
                description: 'Of agents.',
                default: { path: 'x' },
                properties: { path: { description: 'Path.', type: 'string', default: '' } },
              },
            },
          },
        },
      },
    },
  },
};

describe('the fields of the config file', () => {
  const fields = fieldsOf(schema);

  it('are all there, with their descriptions', () => {
    expect(fields.map(({ path, description }) => [path, description])).toEqual([
      ['mode', 'Words.'],
      ['role', undefined],
      ['role.path', 'Path.'],
      ['role.count', 'How many *.'],
      ['role.agents', undefined],
      ['role.agents[].name', 'Its name.'],
      ['role.agents[].lease', 'Of agents.'],
      ['role.agents[].lease.path', 'Path.'],
    ]);
  });

  it('have their defaults, also one that an object gives, and their values', () => {
    expect(fields.map((field) => [field.default, field.values])).toEqual([
      ['`a`', '`a`, `b`'],
      ['', ''],
      ['empty', ''],
      ['`2`', 'integer, at least 1, at most 5'],
      ['`[]`', 'list'],
      ['required', ''],
      ['', ''],
      ['`x`', ''],
    ]);
  });

  it('stand in a table for each role', () => {
    const text = fieldsMarkdown(fields, ['role']);
    expect(text).toContain(
      '### The process\n\n| field | default | values | |\n| --- | --- | --- | --- |\n| `mode` | `a` | `a`, `b` | Words. |\n\n### role\n',
    );
    expect(text).toContain('| `role.count` | `2` | integer, at least 1, at most 5 | How many \\*. |');
  });
});
