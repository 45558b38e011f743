import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import type { KubeObject } from '@hawser/client';

export interface Release {
  readonly name: string;
  readonly namespace: string;
  /** Values on top of the chart's `values.yaml`. */
  readonly values: Readonly<Record<string, unknown>>;
}

/**
 * Renders some templates of a chart like `helm template`, without Helm. Supports the part of the template language used
 * for our charts' rights, and throws at everything else: it never omits what Helm would render.
 */
export function renderChart(folder: string, templates: readonly string[], release: Release): readonly KubeObject[] {
  const file = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const chart = parse(file('Chart.yaml')) as { readonly name: string; readonly appVersion: string };
  const named = new Map<string, readonly Node[]>();
  const root = {
    Values: { ...(parse(file('values.yaml')) as object), ...release.values },
    Release: { Name: release.name, Namespace: release.namespace, Service: 'Helm' },
    Chart: { Name: chart.name, AppVersion: chart.appVersion },
  };
  for (const name of readdirSync(join(folder, 'templates')).filter((one) => one.endsWith('.tpl')))
    parseTemplate(file(`templates/${name}`), named);
  return templates.flatMap((name) => {
    const text = run(parseTemplate(file(`templates/${name}`), named), { root, dot: root, named });
    return parseAllDocuments(text)
      .map((document) => document.toJS() as KubeObject | null)
      .filter((object) => object !== null);
  });
}

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'print'; readonly pipeline: string }
  | {
      readonly kind: 'if' | 'range';
      readonly pipeline: string;
      readonly then: readonly Node[];
      readonly otherwise: readonly Node[];
    };

/** Stores the text's definitions in `named`, and returns the rest. */
function parseTemplate(text: string, named: Map<string, readonly Node[]>): readonly Node[] {
  // Dashes trim the white space beside an action.
  const parts = text
    .replaceAll(/\s*\{\{-/gu, '{{')
    .replaceAll(/-\}\}\s*/gu, '}}')
    .split(/\{\{(.*?)\}\}/su);
  let at = 0;
  const block = (): { readonly nodes: readonly Node[]; readonly end: string } => {
    const nodes: Node[] = [];
    for (; at < parts.length; at++) {
      const part = parts[at] ?? '';
      if (at % 2 === 0) {
        nodes.push({ kind: 'text', text: part });
        continue;
      }
      const [, word = '', rest = ''] = /^\s*(\S+)\s*(.*?)\s*$/su.exec(part) ?? [];
      if (word === 'end' || word === 'else') return { nodes, end: word };
      if (word === 'define' || word === 'if' || word === 'range') {
        at++;
        const then = block();
        if (then.end === 'else') at++;
        const otherwise = then.end === 'else' ? block().nodes : [];
        if (word === 'define') named.set(JSON.parse(rest) as string, then.nodes);
        else nodes.push({ kind: word, pipeline: rest, then: then.nodes, otherwise });
      } else if (word === 'with' || word === 'block' || word === 'template' || part.includes(':=')) {
        throw new Error(`{{${part}}} is not known here`);
      } else if (!part.trimStart().startsWith('/*')) {
        nodes.push({ kind: 'print', pipeline: part });
      }
    }
    return { nodes, end: '' };
  };
  return block().nodes;
}

interface Scope {
  readonly root: unknown;
  readonly dot: unknown;
  readonly named: ReadonlyMap<string, readonly Node[]>;
}

function run(nodes: readonly Node[], scope: Scope): string {
  return nodes
    .map((node) => {
      switch (node.kind) {
        case 'text':
          return node.text;
        case 'print':
          return asText(evaluate(node.pipeline, scope));
        case 'if':
          return run(isTrue(evaluate(node.pipeline, scope)) ? node.then : node.otherwise, scope);
        case 'range': {
          const items = asList(evaluate(node.pipeline, scope));
          return items.length === 0
            ? run(node.otherwise, scope)
            : items.map((dot) => run(node.then, { ...scope, dot })).join('');
        }
      }
    })
    .join('');
}

/** Each command gets the previous one's value as its last argument. */
function evaluate(pipeline: string, scope: Scope): unknown {
  const words = pipeline.match(/"(?:[^"\\]|\\.)*"|\||[^\s|]+/gu) ?? [];
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word === '|') commands.push([]);
    else commands.at(-1)?.push(word);
  }
  return commands.reduce<readonly unknown[]>((piped, [head = '', ...rest]) => {
    const call = functions[head];
    if (call === undefined && rest.length + piped.length > 0)
      throw new Error(`{{${pipeline}}}: function ${head} is not known here`);
    return [
      call === undefined ? operand(head, scope) : call([...rest.map((word) => operand(word, scope)), ...piped], scope),
    ];
  }, [])[0];
}

function operand(word: string, { root, dot }: Scope): unknown {
  if (word.startsWith('"')) return JSON.parse(word) as string;
  if (/^\d+$/u.test(word)) return Number(word);
  const [, start, path = ''] = /^(\$?)((?:\.\w+)*|\.)$/u.exec(word) ?? [];
  if (start === undefined) throw new Error(`${word} is not known here`);
  return path
    .split('.')
    .filter((field) => field !== '')
    .reduce<unknown>(
      (value, field) => {
        const next = (value as Readonly<Record<string, unknown>> | undefined)?.[field];
        if (next === undefined) throw new Error(`${word}: there is no ${field}`);
        return next;
      },
      start === '$' ? root : dot,
    );
}

const functions: Readonly<Record<string, (args: readonly unknown[], scope: Scope) => unknown>> = {
  include: ([name, dot], scope) => {
    const nodes = scope.named.get(asText(name));
    if (nodes === undefined) throw new Error(`no template is called ${asText(name)}`);
    return run(nodes, { ...scope, dot, root: dot });
  },
  nindent: ([width, text]) =>
    `\n${asText(text)
      .split('\n')
      .map((line) => ' '.repeat(Number(width)) + line)
      .join('\n')}`,
  toYaml: ([value]) => stringify(value).trimEnd(),
  toJson: ([value]) => JSON.stringify(value),
  quote: ([value]) => JSON.stringify(asText(value)),
  printf: ([format, ...values]) =>
    values.reduce<string>((text, value) => text.replace('%s', () => asText(value)), asText(format)),
  eq: ([one, other]) => one === other,
  int: ([value]) => Math.trunc(Number(value)),
  lt: ([one, other]) => Number(one) < Number(other),
  prepend: ([list, item]) => [item, ...asList(list)],
  uniq: ([list]) => [...new Set(asList(list))],
};

function asList(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new TypeError(`${JSON.stringify(value)} is not a list`);
}

/** Empty lists and mappings count as false. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError(`${JSON.stringify(value)} cannot be printed`);
}
