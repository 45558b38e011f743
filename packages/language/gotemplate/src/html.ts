import { escapeHtmlText } from './builtins/escapes.js';
import type { Budget } from './exec/budget.js';
import { print } from './fmt/print.js';
import type { Node, PipeNode } from './syntax/node.js';
import { positionOf, type TemplateSet } from './syntax/template-set.js';
import { TemplateError } from './template-error.js';
import type { GoValue } from './values/go-value.js';
import { isNil } from './values/types.js';

/** Start of a tag, a comment or a declaration. A `<` before anything else is text. */
const MARKUP = /<(?:\/?[a-zA-Z]|!--|!doctype)/iu;

/** A value as html/template writes it into plain text (spec/api-syncagent.md §13.5). */
export function writeHtml(value: GoValue, pipe: PipeNode, budget: Budget): string {
  if (isNil(value)) return '';
  const text = print([value], budget);
  return endsWithEscaper(pipe) ? text : escapeHtmlText(text);
}

/** Literal text: escapes a `<` that opens nothing. */
export function htmlText(text: string): string {
  return text.replaceAll('<', '&lt;');
}

/** Refuses templates whose escaping would depend on the context. Throws a {@link TemplateError}. */
export function checkPlainText(set: TemplateSet): void {
  for (const list of set.definitions.values()) checkList(set, list);
}

function checkList(set: TemplateSet, list: readonly Node[]): void {
  for (const node of list) {
    switch (node.kind) {
      case 'text': {
        const markup = MARKUP.exec(node.text);
        if (markup !== null) {
          const position = { template: set.name, ...positionOf(set.text, node.position + markup.index) };
          throw new TemplateError('markup', position, 'the text opens HTML markup; only plain text is supported here');
        }
        break;
      }
      case 'action':
        checkPipe(set, node.pipe, node.position);
        break;
      case 'if':
      case 'with':
      case 'range':
        checkList(set, node.list);
        checkList(set, node.elseList ?? []);
        break;
      case 'template':
      case 'break':
      case 'continue':
        break;
    }
  }
}

function checkPipe(set: TemplateSet, pipe: PipeNode, position: number): void {
  if (pipe.variables.length > 0) return;
  for (const {
    operands: [first],
  } of pipe.commands.slice(0, -1)) {
    if (first.kind === 'identifier' && (first.name === 'html' || first.name === 'urlquery')) {
      throw new TemplateError(
        'syntax',
        { template: set.name, ...positionOf(set.text, position) },
        `predefined escaper ${JSON.stringify(first.name)} disallowed in template`,
      );
    }
  }
}

/** `… | html` is already escaped. */
function endsWithEscaper(pipe: PipeNode): boolean {
  const first = pipe.commands.at(-1)?.operands[0];
  return first?.kind === 'identifier' && first.name === 'html';
}
