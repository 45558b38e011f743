import { isObject, type JsonObject, type JsonValue } from '@hawser/json';
import { entriesOf } from './entries.js';
import {
  type Path,
  type PathElement,
  compareElements,
  fieldPath,
  parseElement,
  serializeElement,
} from './path-element.js';

export interface FieldSetNode {
  readonly element: PathElement;
  /** Whether the element itself is in the set, independent of those below it. */
  readonly member: boolean;
  /** Absent, or not empty. */
  readonly children: FieldSet | undefined;
}

type Node = FieldSetNode;
type Nodes = ReadonlyMap<string, Node>;

/**
 * A set of fields of an object, as in `fieldsV1`. A field and the fields below it are separate members: owning `.spec`
 * is not owning `.spec.replicas`. Immutable.
 */
export class FieldSet {
  static readonly empty = new FieldSet(new Map());
  readonly #nodes: Nodes;
  #fieldsV1: JsonObject | undefined;
  #elements: readonly FieldSetNode[] | undefined;

  private constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  static of(...paths: readonly Path[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path.map(step));
    return builder.build();
  }

  /** A set of fields, each by its steps: `FieldSet.fields(['metadata', 'name'])`. */
  static fields(...paths: readonly (readonly string[])[]): FieldSet {
    return FieldSet.of(...paths.map((names) => fieldPath(...names)));
  }

  static ofNodes(nodes: Nodes): FieldSet {
    return nodes.size === 0 ? FieldSet.empty : new FieldSet(nodes);
  }

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  get hasMembers(): boolean {
    for (const node of this.#nodes.values()) if (node.member || node.children?.hasMembers === true) return true;
    return false;
  }

  has(path: Path): boolean {
    const [first, ...rest] = path;
    if (first === undefined) return false;
    return rest.length === 0 ? this.hasElement(first) : this.below(first).has(rest);
  }

  hasElement(element: PathElement): boolean {
    return this.#nodes.get(serializeElement(element))?.member === true;
  }

  /** Members below an element, with paths from there. */
  below(element: PathElement): FieldSet {
    return this.#nodes.get(serializeElement(element))?.children ?? FieldSet.empty;
  }

  hasBelow(element: PathElement): boolean {
    return this.#nodes.get(serializeElement(element))?.children !== undefined;
  }

  /** Top elements in order, members or only on the way to members. */
  elements(): readonly FieldSetNode[] {
    this.#elements ??= [...this.#nodes.values()].sort((a, b) => compareElements(a.element, b.element));
    return this.#elements;
  }

  /** Every member: those of one level in order, then those below. */
  *paths(prefix: Path = []): Generator<Path> {
    const nodes = this.elements();
    for (const { element, member } of nodes) if (member) yield [...prefix, element];
    for (const { element, children } of nodes) if (children !== undefined) yield* children.paths([...prefix, element]);
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    let nodes: Map<string, Node> | undefined;
    for (const [key, node] of other.#nodes) {
      const own = this.#nodes.get(key);
      const children = own === undefined ? node.children : unionOf(own.children, node.children);
      if (own !== undefined && children === own.children && (own.member || !node.member)) continue;
      nodes ??= new Map(this.#nodes);
      nodes.set(key, own === undefined ? node : { element: own.element, member: own.member || node.member, children });
    }
    return nodes === undefined ? this : FieldSet.ofNodes(nodes);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#keep((key, node) => {
      const theirs = other.#nodes.get(key);
      if (theirs === undefined) return undefined;
      return {
        member: node.member && theirs.member,
        children: theirs.children === undefined ? undefined : node.children?.intersection(theirs.children),
      };
    });
  }

  /** Members that the other set lacks. Keeps what is below a member of the other set. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#keep((key, node) => {
      const theirs = other.#nodes.get(key);
      if (theirs === undefined) return node;
      return {
        member: node.member && !theirs.member,
        children: theirs.children === undefined ? node.children : node.children?.difference(theirs.children),
      };
    });
  }

  /** Removes the members of the other set and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return this.#keep((key, node) => {
      const theirs = other.#nodes.get(key);
      if (theirs === undefined) return node;
      if (theirs.member) return undefined;
      return {
        member: node.member,
        children: theirs.children === undefined ? node.children : node.children?.recursiveDifference(theirs.children),
      };
    });
  }

  /** Only members without members below them. */
  leaves(): FieldSet {
    return this.#keep((_key, { member, children }) => ({
      member: member && children === undefined,
      children: children?.leaves(),
    }));
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.#nodes.size !== other.#nodes.size) return false;
    for (const [key, node] of this.#nodes) {
      const theirs = other.#nodes.get(key);
      if (theirs?.member !== node.member) return false;
      if (!(node.children ?? FieldSet.empty).equals(theirs.children ?? FieldSet.empty)) return false;
    }
    return true;
  }

  /** In `fieldsV1` form, keys in the server's order. Returns the same object each time: do not change it. */
  toFieldsV1(): JsonObject {
    if (this.#fieldsV1 === undefined) {
      this.#fieldsV1 = serialize(this, false);
      parsed.set(this.#fieldsV1, this);
    }
    return this.#fieldsV1;
  }

  /**
   * Reads `fieldsV1`. Drops elements of unknown type. The object must not change afterwards.
   * @throws SetError for a malformed element.
   */
  static parse(fieldsV1: JsonObject): FieldSet {
    let set = parsed.get(fieldsV1);
    if (set === undefined) {
      set = parseLevel(fieldsV1);
      parsed.set(fieldsV1, set);
    }
    return set;
  }

  /** Changes or drops each top element. */
  map(
    change: (node: FieldSetNode) => { readonly member: boolean; readonly children: FieldSet | undefined } | undefined,
  ): FieldSet {
    return this.#keep((_key, node) => change(node));
  }

  #keep(
    change: (
      key: string,
      node: Node,
    ) => { readonly member: boolean; readonly children: FieldSet | undefined } | undefined,
  ): FieldSet {
    const nodes = new Map<string, Node>();
    // An unchanged set stays the same object, with its caches.
    let same = true;
    for (const [key, node] of this.#nodes) {
      const kept = change(key, node);
      const children = kept?.children?.isEmpty === true ? undefined : kept?.children;
      if (kept === undefined || (!kept.member && children === undefined)) same = false;
      else if (kept.member === node.member && children === node.children) nodes.set(key, node);
      else {
        same = false;
        nodes.set(key, { element: node.element, member: kept.member, children });
      }
    }
    return same ? this : FieldSet.ofNodes(nodes);
  }
}

/** Every write reads sets again, mostly from the same stored object. */
const parsed = new WeakMap<JsonObject, FieldSet>();

function unionOf(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : a.union(b);
}

function serialize(set: FieldSet, includeSelf: boolean): JsonObject {
  const entries: [string, JsonValue][] = includeSelf ? [['.', {}]] : [];
  for (const { element, member, children } of set.elements())
    entries.push([serializeElement(element), children === undefined ? {} : serialize(children, member)]);
  return Object.fromEntries(entries);
}

function parseLevel(fields: JsonObject): FieldSet {
  const nodes = new Map<string, Node>();
  for (const [text, below] of entriesOf(fields)) {
    if (text === '.') continue;
    const element = parseElement(text);
    if (element === undefined) continue;
    const children = isObject(below) ? parseLevel(below) : FieldSet.empty;
    const member = children.isEmpty || (isObject(below) && Object.hasOwn(below, '.'));
    nodes.set(serializeElement(element), { element, member, children: children.isEmpty ? undefined : children });
  }
  return FieldSet.ofNodes(nodes);
}

interface DraftNode {
  readonly element: PathElement;
  member: boolean;
  children: Map<string, DraftNode> | undefined;
}

/** An element and its text: a walk encodes each once, however many fields are below it. */
export interface Step {
  readonly element: PathElement;
  readonly key: string;
}

export const step = (element: PathElement): Step => ({ element, key: serializeElement(element) });

/** Collects paths for a {@link FieldSet}. */
export class FieldSetBuilder {
  readonly #root = new Map<string, DraftNode>();

  /** Adds one field without those above it. Ignores the empty path, which has no owner. */
  insert(path: readonly Step[]): void {
    let level = this.#root;
    for (let depth = 0; depth < path.length; depth++) {
      const { element, key } = path[depth] as Step;
      let node = level.get(key);
      if (node === undefined) {
        node = { element, member: false, children: undefined };
        level.set(key, node);
      }
      if (depth === path.length - 1) node.member = true;
      else level = node.children ??= new Map<string, DraftNode>();
    }
  }

  build(): FieldSet {
    return freeze(this.#root);
  }
}

function freeze(level: Map<string, DraftNode>): FieldSet {
  const nodes = new Map<string, Node>();
  for (const [key, { element, member, children }] of level)
    nodes.set(key, { element, member, children: children === undefined ? undefined : freeze(children) });
  return FieldSet.ofNodes(nodes);
}
