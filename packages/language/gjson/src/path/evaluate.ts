import { listNode, scalarNode } from '../node/made-node.js';
import type { Node } from '../node/node.js';
import { parseArrayComponent } from './array-component.js';
import { literal } from './literal.js';
import { modifier } from './modifier.js';
import { multipath } from './multipath.js';
import { type Following, parseObjectComponent } from './object-component.js';
import { queryMatches } from './query-matches.js';
import type { Query } from './query.js';
import { splitPipe } from './split-pipe.js';
import type { Step } from './step.js';
import { fits } from './wildcard.js';

/** Result of a path. */
export interface Found {
  /** Missing: found nothing. */
  readonly node: Node | undefined;
  /** The found values, if they are unchanged parts of the document; empty for created values. */
  readonly origins: readonly Node[];
}

const NOTHING: Found = { node: undefined, origins: [] };
const here = (node: Node): Found => ({ node, origins: [node] });
const made = (node: Node | undefined): Found => ({ node, origins: [] });

/** Looks up a path in a value, which may be missing: some modifiers work on nothing. */
export function evaluate(from: Node | undefined, path: string): Found {
  const step = path.length > 1 ? stepOf(from, path) : undefined;
  if (step !== undefined)
    return /^[.|]/u.test(step.rest) ? made(evaluate(step.node, step.rest.slice(1)).node) : made(step.node);
  const search = new Search();
  if (path.startsWith('..')) search.inArray(from === undefined ? [] : [from], path.slice(2));
  else if (from !== undefined) search.in(from, path);
  return search.pipe === undefined ? search.found : made(evaluate(search.found.node, search.pipe).node);
}

/** Evaluates a path's beginning if it is not a component. */
function stepOf(from: Node | undefined, path: string): Step | undefined {
  switch (path.charAt(0)) {
    case '@':
      return modifier(from, path, (node, inner) => evaluate(node, inner).node);
    case '!':
      return literal(path);
    case '[':
    case '{':
      return multipath(path, (inner) => evaluate(from, inner).node);
    default:
      return undefined;
  }
}

/** One walk along a path's components, up to its first `|`. */
class Search {
  found = NOTHING;
  /** The path for the result, after a `|`. */
  pipe: string | undefined;

  /** Whether the walk is over. */
  in(node: Node, path: string): boolean {
    if (node.items !== undefined) return this.inArray(node.items, path);
    return node.entries !== undefined && this.inObject(node, path);
  }

  inObject(object: Node, path: string): boolean {
    const { key, wild, following } = parseObjectComponent(path);
    this.#note(following);
    const candidates = wild
      ? (object.entries ?? []).filter((entry) => key === '*' || fits(entry.key, key)).map(({ node }) => node)
      : object.lookup(key);
    return candidates.some((node) => this.#follow(node, following));
  }

  inArray(items: readonly Node[], path: string): boolean {
    const component = parseArrayComponent(path);
    if (component.kind === 'each') {
      this.pipe = component.pipe ?? this.pipe;
      const results = items.map((item) => evaluate(item, component.path));
      const nodes = results.flatMap(({ node }) => (node === undefined ? [] : [node]));
      this.found = { node: listNode(nodes), origins: results.flatMap(({ origins }) => origins) };
      return true;
    }
    const { following } = component;
    this.#note(following);
    switch (component.kind) {
      case 'index': {
        const item = items[component.index];
        return item !== undefined && this.#follow(item, following);
      }
      case 'count':
        this.found = made(scalarNode('number', items.length.toString()));
        return true;
      case 'query':
        return component.all
          ? this.#all(items, component.query, following)
          : this.#first(items, component.query, following);
      case 'nothing':
        return false;
    }
  }

  #note(following: Following): void {
    if (following.kind === 'pipe') this.pipe = following.path;
  }

  #follow(node: Node, following: Following): boolean {
    if (following.kind === 'more') return this.in(node, following.path);
    this.found = here(node);
    return true;
  }

  #first(items: readonly Node[], query: Query, following: Following): boolean {
    const match = items.find((item) => elementMatches(query, item));
    if (match === undefined) return false;
    this.found = this.#behindQuery(match, following);
    return true;
  }

  #all(items: readonly Node[], query: Query, following: Following): boolean {
    const results = items
      .filter((item) => elementMatches(query, item))
      .map((item) => this.#behindQuery(item, following));
    // The first array queried through a wildcard decides, even if its query matches nothing.
    if (this.found.node === undefined) {
      this.found = {
        node: listNode(results.flatMap(({ node }) => (node === undefined ? [] : [node]))),
        origins: results.flatMap(({ origins }) => origins),
      };
    }
    return false;
  }

  #behindQuery(match: Node, following: Following): Found {
    if (following.kind !== 'more') return here(match);
    const [path, pipe] = splitPipe(following.path);
    this.pipe = pipe ?? this.pipe;
    return evaluate(match, path);
  }
}

function elementMatches(query: Query, item: Node): boolean {
  if (item.kind === 'json') return queryMatches(query, evaluate(item, query.path).node);
  return query.path === '' && queryMatches(query, item);
}
