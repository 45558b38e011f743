import { redactText, redacted } from './redact-text.js';
import { isSensitiveKey } from './sensitive-key.js';

/** Depth limit of a shown value: an API object in a log line is a mistake, and must stay small. */
const maxDepth = 6;
const maxItems = 20;
const maxKeys = 60;
const maxNodes = 500;

/** Annotation in which kubectl keeps the whole object, Secrets included. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export interface RedactOptions {
  /** Show the stacks of errors. */
  readonly stacks: boolean;
}

/**
 * Converts any value to plain JSON without secrets. Removes values under keys that name a secret, `data` of Secrets,
 * and strings that look like one. Errors become `{name, message, code, …, cause}`. Limits depth and size, cycles
 * included. Never throws.
 */
export function redact(value: unknown, options: RedactOptions): unknown {
  return new Redaction(options).value(value, 0, false);
}

class Redaction {
  readonly #options: RedactOptions;
  #nodes = 0;

  constructor(options: RedactOptions) {
    this.#options = options;
  }

  value(value: unknown, depth: number, inSecretList: boolean): unknown {
    if (++this.#nodes > maxNodes) return '[cut]';
    switch (typeof value) {
      case 'string':
        return redactText(value);
      case 'number':
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
      case 'undefined':
        return value;
      case 'bigint':
        return value.toString();
      case 'symbol':
      case 'function':
        return `[${typeof value}]`;
      case 'object':
        if (value === null) return null;
        if (depth >= maxDepth) return '[deep]';
        try {
          return this.#object(value, depth, inSecretList);
        } catch {
          // A getter that throws, or a revoked proxy.
          return '[unreadable]';
        }
    }
  }

  #object(value: object, depth: number, inSecretList: boolean): unknown {
    if (isError(value)) return this.#error(value, depth);
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map((item) => this.value(item, depth + 1, inSecretList));
      if (value.length > maxItems) items.push(`[${value.length - maxItems} more]`);
      return items;
    }
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
    if (value instanceof URL) return redactText(value.href);
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Set) return this.#object([...value], depth, inSecretList);
    if (value instanceof Map)
      return this.#fields(
        [...value].map(([key, item]) => [String(key), item]),
        depth,
        false,
        inSecretList,
      );
    return this.#fields(
      Object.entries(value),
      depth,
      isSecret(value, inSecretList),
      inSecretList || kindOf(value) === 'SecretList',
    );
  }

  #fields(
    entries: readonly (readonly [string, unknown])[],
    depth: number,
    secret: boolean,
    inSecretList: boolean,
  ): unknown {
    // Without a prototype `__proto__` is an ordinary key.
    const fields = Object.create(null) as Record<string, unknown>;
    for (const [key, item] of entries.slice(0, maxKeys)) {
      fields[redactText(key)] = this.#field(key, item, depth, secret, inSecretList);
    }
    if (entries.length > maxKeys) fields['…'] = `[${entries.length - maxKeys} more]`;
    return fields;
  }

  #field(key: string, item: unknown, depth: number, secret: boolean, inSecretList: boolean): unknown {
    // These hide nothing, and it is useful to see whether a token is set.
    if (item === undefined || item === null || typeof item === 'boolean') return item;
    if (key === lastApplied || isSensitiveKey(key)) return redacted;
    if (secret && (key === 'data' || key === 'stringData')) return redacted;
    if (key === 'managedFields') return '[cut]';
    return this.value(item, depth + 1, inSecretList);
  }

  #error(error: Error, depth: number): unknown {
    const fields = Object.create(null) as Record<string, unknown>;
    fields['name'] = this.value(error.name, depth, false);
    fields['message'] = this.value(error.message, depth, false);
    // Fields of an ApiError beyond its message, and the code of a system error.
    for (const key of ['code', 'httpStatus', 'request'] as const) {
      const item: unknown = key in error ? (error as unknown as Record<string, unknown>)[key] : undefined;
      if (item !== undefined) fields[key] = this.value(item, depth + 1, false);
    }
    if (this.#options.stacks && error.stack !== undefined) fields['stack'] = redactText(error.stack);
    if (error.cause !== undefined) fields['cause'] = this.value(error.cause, depth + 1, false);
    if (error instanceof AggregateError) fields['errors'] = this.value(error.errors, depth + 1, false);
    return fields;
  }
}

/** Also true for errors of another realm, for which `instanceof Error` is false. */
function isError(value: object): value is Error {
  return (
    value instanceof Error ||
    Object.prototype.toString.call(value) === '[object Error]' ||
    Object.prototype.toString.call(value) === '[object DOMException]'
  );
}

function kindOf(value: object): unknown {
  return 'kind' in value ? value.kind : undefined;
}

/** Items of a list carry no kind: one with metadata and data but no kind may be a Secret. */
function isSecret(value: object, inSecretList: boolean): boolean {
  const kind = kindOf(value);
  return kind === 'Secret' || ((inSecretList || 'metadata' in value) && (kind === undefined || kind === ''));
}
