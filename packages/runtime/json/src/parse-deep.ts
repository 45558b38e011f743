import { setOwn } from './own.js';
import type { JsonValue } from './value.js';

type Container = unknown[] | Record<string, unknown>;

const TOKEN = /[{}[\],:]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\],:"]+/gsu;
const INTEGER = /^-?[0-9]+$/u;

/**
 * Parses valid JSON like `parse`, but without recursion: for text nested so deeply that a reviver overflows the stack.
 * An order of magnitude slower.
 */
export function parseDeep(text: string): JsonValue {
  const open: Container[] = [];
  let root: unknown;
  let key: string | undefined;
  const put = (value: unknown): void => {
    const parent = open.at(-1);
    if (parent === undefined) root = value;
    else if (Array.isArray(parent)) parent.push(value);
    else {
      setOwn(parent, key ?? '', value);
      key = undefined;
    }
  };
  for (const [token] of text.matchAll(TOKEN)) {
    switch (token) {
      case '{':
      case '[': {
        const container: Container = token === '{' ? {} : [];
        put(container);
        open.push(container);
        break;
      }
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
      case ':':
        break;
      default:
        // The first string in an object, and after each value in it, is a key.
        if (token.startsWith('"') && key === undefined && isObject(open.at(-1))) key = JSON.parse(token) as string;
        else put(scalar(token));
    }
  }
  return root as JsonValue;
}

function isObject(container: Container | undefined): boolean {
  return container !== undefined && !Array.isArray(container);
}

function scalar(token: string): unknown {
  const value = JSON.parse(token) as unknown;
  return typeof value === 'number' && !Number.isSafeInteger(value) && INTEGER.test(token) ? BigInt(token) : value;
}
