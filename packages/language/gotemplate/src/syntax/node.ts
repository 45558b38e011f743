interface Positioned {
  /** Index into the template, in UTF-16 units. */
  readonly position: number;
}

export interface TextNode extends Positioned {
  readonly kind: 'text';
  readonly text: string;
}
export interface ActionNode extends Positioned {
  readonly kind: 'action';
  readonly pipe: PipeNode;
}
export interface BranchNode extends Positioned {
  readonly kind: 'if' | 'with' | 'range';
  readonly pipe: PipeNode;
  readonly list: readonly Node[];
  readonly elseList: readonly Node[] | undefined;
}
export interface TemplateNode extends Positioned {
  readonly kind: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}
export interface JumpNode extends Positioned {
  readonly kind: 'break' | 'continue';
}

/** A node of a template. */
export type Node = TextNode | ActionNode | BranchNode | TemplateNode | JumpNode;

export interface PipeNode extends Positioned {
  readonly kind: 'pipe';
  /** Variables that get the result. */
  readonly variables: readonly string[];
  /** `=` rather than `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly CommandNode[];
}

export interface CommandNode extends Positioned {
  readonly kind: 'command';
  /** Never empty. */
  readonly operands: readonly [Operand, ...Operand[]];
}

export interface FieldNode extends Positioned {
  readonly kind: 'field';
  readonly fields: readonly string[];
}
export interface VariableNode extends Positioned {
  readonly kind: 'variable';
  readonly name: string;
  readonly fields: readonly string[];
}
export interface ChainNode extends Positioned {
  readonly kind: 'chain';
  readonly operand: Operand;
  readonly fields: readonly string[];
}
export interface IdentifierNode extends Positioned {
  readonly kind: 'identifier';
  readonly name: string;
}
export interface NumberNode extends Positioned {
  readonly kind: 'number';
  readonly text: string;
  readonly integer: bigint | undefined;
  readonly float: number | undefined;
}
export interface StringNode extends Positioned {
  readonly kind: 'string';
  readonly text: string;
  readonly quoted: string;
}
export interface BoolNode extends Positioned {
  readonly kind: 'bool';
  readonly value: boolean;
}
export interface DotNode extends Positioned {
  readonly kind: 'dot';
}
export interface NilNode extends Positioned {
  readonly kind: 'nil';
}

/** An operand of a command. */
export type Operand =
  | FieldNode
  | VariableNode
  | ChainNode
  | IdentifierNode
  | NumberNode
  | StringNode
  | BoolNode
  | DotNode
  | NilNode
  | PipeNode;

/** A node in source form, for messages. */
export function describeNode(node: Node | Operand | CommandNode): string {
  switch (node.kind) {
    case 'text':
      return JSON.stringify(node.text);
    case 'action':
      return `{{${describeNode(node.pipe)}}}`;
    case 'if':
    case 'with':
    case 'range':
      return `{{${node.kind} ${describeNode(node.pipe)}}}`;
    case 'template':
      return `{{template ${JSON.stringify(node.name)}${node.pipe === undefined ? '' : ` ${describeNode(node.pipe)}`}}}`;
    case 'break':
    case 'continue':
      return `{{${node.kind}}}`;
    case 'pipe': {
      const variables = node.variables.length === 0 ? '' : `${node.variables.join(', ')} ${node.assigns ? '=' : ':='} `;
      return variables + node.commands.map(describeNode).join(' | ');
    }
    case 'command':
      return node.operands
        .map((operand) => (operand.kind === 'pipe' ? `(${describeNode(operand)})` : describeNode(operand)))
        .join(' ');
    case 'field':
      return node.fields.map((field) => `.${field}`).join('');
    case 'variable':
      return [node.name, ...node.fields].join('.');
    case 'chain':
      return `${node.operand.kind === 'pipe' ? `(${describeNode(node.operand)})` : describeNode(node.operand)}${node.fields.map((field) => `.${field}`).join('')}`;
    case 'identifier':
      return node.name;
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
    case 'bool':
      return String(node.value);
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
  }
}
