import { readFileSync } from 'node:fs';
import { type Output, document, outputs } from '@hawser/commands';
import { ConfigError, type Flag, type ParsedFlags } from '@hawser/config';
import { TemplateError, compile } from '@hawser/gotemplate';
import { stringify } from '@hawser/json';
import { findJsonPath, printJsonPath } from './jsonpath.js';
import { JsonPathError } from './jsonpath-parser.js';

/** Flags of a command that prints a list (spec/kube-bind-cli-and-charts.md §2.3). */
export const listFlags: readonly Flag[] = [
  {
    name: 'output',
    short: 'o',
    kind: 'string',
    help: 'table, json, yaml, name, go-template=TEMPLATE, go-template-file=FILE, jsonpath=TEMPLATE, jsonpath-file=FILE or jsonpath-as-json=TEMPLATE',
    default: 'table',
  },
  { name: 'template', kind: 'string', help: 'template, or its file, for -o go-template, jsonpath and the like' },
  {
    name: 'allow-missing-template-keys',
    kind: 'boolean',
    help: 'a JSONPath prints nothing for what is not there; false: that is an error',
    default: 'true',
  },
  {
    name: 'show-managed-fields',
    kind: 'boolean',
    help: 'print metadata.managedFields in JSON and YAML',
    default: 'false',
  },
];

/** Output format of a list. Closed. */
export type ListFormat =
  | { readonly kind: 'table' | 'name' }
  /** The whole list as one document. */
  | { readonly kind: 'document'; readonly print: (list: object) => string };

const templated = ['go-template', 'template', 'jsonpath', 'jsonpath-as-json'] as const;
const ofFile: Readonly<Record<string, (typeof templated)[number]>> = {
  'go-template-file': 'go-template',
  templatefile: 'go-template',
  'jsonpath-file': 'jsonpath',
};
const plain: readonly string[] = [...outputs, 'name'];

/** @throws ConfigError for an unknown format or a malformed template */
export function readListFormat({ values }: ParsedFlags): ListFormat {
  const template = values.get('template');
  const format = values.get('output') ?? (template === undefined ? 'table' : 'go-template');
  const [, name = '', attached] = /^([^=]*)(?:=(.*))?$/su.exec(format) ?? [];
  if (plain.includes(name) && attached === undefined) {
    if (name === 'table' || name === 'name') return { kind: name };
    const output = name as Exclude<Output, 'table'>;
    const withManaged = values.get('show-managed-fields') === 'true';
    return {
      kind: 'document',
      print: (list) => document(withManaged ? list : withoutManagedFields(list), output),
    };
  }
  const text = attached ?? template;
  const kind = ofFile[name] ?? templated.find((one) => one === name);
  if (kind === undefined)
    throw new ConfigError(
      `--output: must be one of ${[...plain, ...templated, ...Object.keys(ofFile)].join(', ')}, not "${format}"`,
    );
  if (text === undefined || text === '')
    throw new ConfigError(`--output: ${name} needs a template: -o ${name}=…, or --template`);
  return templateFormat(kind, name in ofFile ? fileText(text) : text, values.get('allow-missing-template-keys'));
}

function templateFormat(kind: (typeof templated)[number], text: string, allowMissing: string | undefined): ListFormat {
  const allowMissingKeys = allowMissing !== 'false';
  const print = (list: object): string => {
    switch (kind) {
      case 'go-template':
      case 'template':
        return compile(text, { name: 'output' }).render(list);
      case 'jsonpath':
        return printJsonPath(text, list, { allowMissingKeys });
      case 'jsonpath-as-json':
        return stringify(findJsonPath(text, list, { allowMissingKeys }));
    }
  };
  if ((kind === 'go-template' || kind === 'template') && !allowMissingKeys)
    throw new ConfigError('--allow-missing-template-keys: of a Go template, what is not there prints as <no value>');
  return {
    kind: 'document',
    print: (list) => {
      try {
        return print(list);
      } catch (error) {
        if (error instanceof JsonPathError) throw new ConfigError(`--output: ${error.message}`);
        if (error instanceof TemplateError)
          throw new ConfigError(`--output: line ${error.line} of the template: ${error.detail}`);
        throw error;
      }
    },
  };
}

/** @throws ConfigError */
function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError(`--output: ${path} cannot be read`);
  }
}

interface Listed {
  readonly metadata?: Readonly<Record<string, unknown>>;
}

function withoutManagedFields(list: object): object {
  const { items } = list as { readonly items?: readonly Listed[] };
  return { ...list, items: items?.map((item) => ({ ...item, metadata: unmanaged(item.metadata) })) };
}

function unmanaged(metadata: Listed['metadata']): object {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => key !== 'managedFields'));
}
