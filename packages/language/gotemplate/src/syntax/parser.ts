import { TemplateError, type TemplateErrorCode } from '../template-error.js';
import type { FunctionMap } from '../template-function.js';
import { lex } from './lexer.js';
import type { CommandNode, Node, Operand, PipeNode } from './node.js';
import { readNumber } from './number-literal.js';
import { positionOf, type TemplateSet } from './template-set.js';
import type { Token, TokenKind } from './token.js';
import { unquote, unquoteCharacter } from './unquote.js';

/** Nesting limit of blocks and parentheses: no person writes more, and more would overflow the stack. */
const maxDepth = 200;

/** Parses a template. Throws a {@link TemplateError}. */
export function parse(name: string, text: string, functions: FunctionMap): TemplateSet {
  return new Parser(name, text, functions).run();
}

const operandKinds = [
  'bool',
  'character',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
] as const;

/** First token of an operand. */
type OperandKind = (typeof operandKinds)[number];

function isOperand(kind: TokenKind): kind is OperandKind {
  return (operandKinds as readonly TokenKind[]).includes(kind);
}

const controlKinds = ['if', 'with', 'range', 'block', 'template', 'break', 'continue', 'end', 'else'] as const;

function isControl(kind: TokenKind): kind is (typeof controlKinds)[number] {
  return (controlKinds as readonly TokenKind[]).includes(kind);
}

/** End of a list of nodes. */
interface ListEnd {
  readonly kind: 'end' | 'else';
  /** Keyword after `else`. */
  readonly chained?: 'if' | 'with' | undefined;
  readonly position: number;
}

class Parser {
  readonly #name: string;
  readonly #text: string;
  readonly #functions: FunctionMap;
  readonly #tokens: readonly Token[];
  readonly #definitions = new Map<string, readonly Node[]>();
  readonly #called = new Set<string>();
  #index = 0;
  #variables = ['$'];
  #depth = 0;
  #ranges = 0;

  constructor(name: string, text: string, functions: FunctionMap) {
    this.#name = name;
    this.#text = text;
    this.#functions = functions;
    this.#tokens = lex(text);
  }

  run(): TemplateSet {
    const root: Node[] = [];
    while (this.#peek().kind !== 'eof') {
      if (this.#peek().kind === 'leftDelim' && this.#isDefinition()) this.#definition();
      else {
        const node = this.#textOrAction();
        if (isEnd(node)) this.#fail(`unexpected {{${node.kind}}}`);
        root.push(node);
      }
    }
    this.#define(this.#name, root);
    return {
      name: this.#name,
      text: this.#text,
      root: this.#definitions.get(this.#name) ?? root,
      definitions: this.#definitions,
      functions: this.#called,
    };
  }

  #isDefinition(): boolean {
    let ahead = this.#index + 1;
    while (this.#tokens[ahead]?.kind === 'space') ahead++;
    return this.#tokens[ahead]?.kind === 'define';
  }

  #definition(): void {
    this.#next();
    this.#nextNonSpace();
    const name = this.#templateName('define clause');
    this.#expect('rightDelim', 'define clause');
    this.#body(name, 'define clause');
  }

  /** Nodes up to `end`, with their own scope of variables and ranges. */
  #body(name: string, context: string): void {
    const [variables, ranges] = [this.#variables, this.#ranges];
    this.#variables = ['$'];
    this.#ranges = 0;
    const [list, end] = this.#list();
    if (end.kind !== 'end') this.#fail(`unexpected {{else}} in ${context}`);
    this.#define(name, list);
    this.#variables = variables;
    this.#ranges = ranges;
  }

  #define(name: string, list: readonly Node[]): void {
    const known = this.#definitions.get(name);
    if (known === undefined || isEmpty(known)) this.#definitions.set(name, list);
    else if (!isEmpty(list)) this.#fail(`template: multiple definition of template ${JSON.stringify(name)}`);
  }

  #list(): [Node[], ListEnd] {
    const list: Node[] = [];
    this.#enter();
    while (this.#peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction();
      if (isEnd(node)) {
        this.#depth--;
        return [list, node];
      }
      list.push(node);
    }
    return this.#fail('unexpected EOF');
  }

  #textOrAction(): Node | ListEnd {
    const token = this.#nextNonSpace();
    if (token.kind === 'text') return { kind: 'text', text: token.text, position: token.position };
    if (token.kind !== 'leftDelim') return this.#unexpected(token, 'input');
    return this.#action();
  }

  #action(): Node | ListEnd {
    const { kind, position } = this.#peekNonSpace();
    if (!isControl(kind)) return { kind: 'action', position, pipe: this.#pipeline('command', 'rightDelim') };
    this.#next();
    switch (kind) {
      case 'if':
      case 'with':
      case 'range':
        return this.#branch(kind, position);
      case 'block':
        return this.#block();
      case 'template':
        return this.#template();
      case 'break':
      case 'continue':
        if (this.#peekNonSpace().kind !== 'rightDelim') this.#unexpected(this.#peek(), `{{${kind}}}`);
        this.#next();
        if (this.#ranges === 0) this.#fail(`{{${kind}}} outside {{range}}`);
        return { kind, position };
      case 'end':
        this.#expect('rightDelim', 'end');
        return { kind, position };
      case 'else': {
        const following = this.#peekNonSpace();
        if (following.kind === 'if' || following.kind === 'with')
          return { kind, chained: following.kind, position: following.position };
        this.#expect('rightDelim', 'else');
        return { kind, position };
      }
    }
  }

  #branch(kind: 'if' | 'with' | 'range', position: number): Node {
    const known = this.#variables.length;
    const pipe = this.#pipeline(kind, 'rightDelim');
    if (kind === 'range') this.#ranges++;
    const [list, end] = this.#list();
    if (kind === 'range') this.#ranges--;
    let elseList: Node[] | undefined;
    if (end.kind === 'else') {
      if (end.chained !== undefined && end.chained === kind) {
        this.#next();
        this.#enter();
        elseList = [this.#branch(end.chained, end.position)];
        this.#depth--;
      } else {
        const [others, last] = this.#list();
        if (last.kind !== 'end') this.#fail('expected end; found {{else}}');
        elseList = others;
      }
    }
    this.#variables.length = known;
    return { kind, position, pipe, list, elseList };
  }

  #block(): Node {
    const { position } = this.#peekNonSpace();
    const name = this.#templateName('block clause');
    const pipe = this.#pipeline('block clause', 'rightDelim');
    this.#body(name, 'block clause');
    return { kind: 'template', position, name, pipe };
  }

  #template(): Node {
    const { position } = this.#peekNonSpace();
    const name = this.#templateName('template clause');
    if (this.#peekNonSpace().kind === 'rightDelim') {
      this.#next();
      return { kind: 'template', position, name, pipe: undefined };
    }
    return { kind: 'template', position, name, pipe: this.#pipeline('template clause', 'rightDelim') };
  }

  #templateName(context: string): string {
    const token = this.#nextNonSpace();
    if (token.kind !== 'string' && token.kind !== 'rawString') return this.#unexpected(token, context);
    return unquote(token.text) ?? this.#fail('invalid syntax');
  }

  #pipeline(context: string, end: TokenKind): PipeNode {
    const { position } = this.#peekNonSpace();
    const variables: string[] = [];
    const assigns = this.#declarations(context, variables);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = this.#peekNonSpace();
      if (token.kind === end) break;
      if (!isOperand(token.kind)) {
        this.#next();
        this.#unexpected(token, context);
      }
      commands.push(this.#command());
    }
    this.#next();
    if (commands.length === 0) this.#fail(`missing value for ${context}`);
    commands.slice(1).forEach(({ operands: [first] }, index) => {
      if (['bool', 'dot', 'nil', 'number', 'string'].includes(first.kind))
        this.#fail(`non executable command in pipeline stage ${index + 2}`);
    });
    return { kind: 'pipe', position, variables, assigns, commands };
  }

  /** `$x :=`, `$x =`, and in a range `$k, $v :=`. Returns whether it assigns. */
  #declarations(context: string, variables: string[]): boolean {
    for (;;) {
      const variable = this.#peekNonSpace();
      if (variable.kind !== 'variable') return false;
      const start = this.#index;
      this.#next();
      const following = this.#peekNonSpace();
      if (following.kind !== 'assign' && following.kind !== 'declare' && following.kind !== 'comma') {
        this.#index = start;
        return false;
      }
      this.#next();
      variables.push(variable.text);
      this.#variables.push(variable.text);
      if (following.kind !== 'comma') return following.kind === 'assign';
      if (context !== 'range' || variables.length > 1) this.#fail(`too many declarations in ${context}`);
      if (!['variable', 'rightDelim', 'rightParen'].includes(this.#peekNonSpace().kind))
        this.#fail('range can only initialize variables');
    }
  }

  #command(): CommandNode {
    const { position } = this.#peekNonSpace();
    const operands: Operand[] = [];
    for (;;) {
      this.#peekNonSpace();
      const operand = this.#operand();
      if (operand !== undefined) operands.push(operand);
      const token = this.#next();
      if (token.kind === 'space') continue;
      if (token.kind === 'rightDelim' || token.kind === 'rightParen') this.#index--;
      else if (token.kind !== 'pipe') this.#unexpected(token, 'operand');
      break;
    }
    const [first, ...others] = operands;
    if (first === undefined) return this.#fail('empty command');
    return { kind: 'command', position, operands: [first, ...others] };
  }

  #operand(): Operand | undefined {
    const operand = this.#term();
    if (operand === undefined || this.#peek().kind !== 'field') return operand;
    const { position } = this.#peek();
    const fields: string[] = [];
    while (this.#peek().kind === 'field') fields.push(this.#next().text.slice(1));
    switch (operand.kind) {
      case 'field':
        return { kind: 'field', position, fields: [...operand.fields, ...fields] };
      case 'variable':
        return { kind: 'variable', position, name: operand.name, fields: [...operand.fields, ...fields] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return this.#fail('unexpected . after a constant');
      case 'chain':
      case 'identifier':
      case 'pipe':
        return { kind: 'chain', position, operand, fields };
    }
  }

  #term(): Operand | undefined {
    const { kind, position, text } = this.#nextNonSpace();
    if (!isOperand(kind)) {
      this.#index--;
      return undefined;
    }
    switch (kind) {
      case 'identifier':
        this.#checkFunction(text);
        return { kind: 'identifier', position, name: text };
      case 'dot':
      case 'nil':
        return { kind, position };
      case 'bool':
        return { kind: 'bool', position, value: text === 'true' };
      case 'field':
        return { kind: 'field', position, fields: [text.slice(1)] };
      case 'variable':
        if (!this.#variables.includes(text)) this.#fail(`undefined variable ${JSON.stringify(text)}`);
        return { kind: 'variable', position, name: text, fields: [] };
      case 'character': {
        const point = unquoteCharacter(text);
        if (point === undefined) return this.#fail(`malformed character constant: ${text}`);
        return { kind: 'number', position, text, integer: BigInt(point), float: point };
      }
      case 'complex':
        return this.#fail(`imaginary number ${JSON.stringify(text)}: complex numbers are not supported`);
      case 'number': {
        const number = readNumber(text);
        return typeof number === 'string' ? this.#fail(number) : { kind: 'number', position, text, ...number };
      }
      case 'string':
      case 'rawString': {
        const content = unquote(text);
        return content === undefined
          ? this.#fail('invalid syntax')
          : { kind: 'string', position, text: content, quoted: text };
      }
      case 'leftParen': {
        this.#enter();
        const pipe = this.#pipeline('parenthesized pipeline', 'rightParen');
        this.#depth--;
        return pipe;
      }
    }
  }

  #checkFunction(name: string): void {
    const known = Object.hasOwn(this.#functions, name) ? this.#functions[name] : undefined;
    if (known === undefined) this.#fail(`function ${JSON.stringify(name)} not defined`, 'function');
    if ('refused' in known) this.#fail(`function ${JSON.stringify(name)} is not offered: ${known.refused}`, 'refused');
    this.#called.add(name);
  }

  #enter(): void {
    if (++this.#depth > maxDepth) this.#fail(`more than ${maxDepth} blocks and parentheses inside each other`, 'limit');
  }

  #peek(): Token {
    const token = this.#tokens[Math.min(this.#index, this.#tokens.length - 1)];
    return token ?? { kind: 'eof', text: '', position: this.#text.length };
  }

  #next(): Token {
    const token = this.#peek();
    this.#index++;
    return token;
  }

  #peekNonSpace(): Token {
    while (this.#peek().kind === 'space') this.#index++;
    return this.#peek();
  }

  #nextNonSpace(): Token {
    this.#peekNonSpace();
    return this.#next();
  }

  #expect(kind: TokenKind, context: string): void {
    const token = this.#nextNonSpace();
    if (token.kind !== kind) this.#unexpected(token, context);
  }

  #unexpected(token: Token, context: string): never {
    if (token.kind === 'error') this.#fail(token.text);
    this.#fail(`unexpected ${token.kind === 'eof' ? 'EOF' : `<${token.text.slice(0, 20)}>`} in ${context}`);
  }

  /** Errors point at the token read last. */
  #fail(detail: string, code: TemplateErrorCode = 'syntax'): never {
    const token = this.#tokens[Math.max(0, Math.min(this.#index - 1, this.#tokens.length - 1))];
    throw new TemplateError(
      code,
      { template: this.#name, line: positionOf(this.#text, token?.position ?? 0).line },
      detail,
    );
  }
}

function isEnd(node: Node | ListEnd): node is ListEnd {
  return node.kind === 'end' || node.kind === 'else';
}

/** Only white space, which another definition may replace. */
function isEmpty(list: readonly Node[]): boolean {
  return list.every((node) => node.kind === 'text' && /^\s*$/u.test(node.text));
}
