import type { Finding } from '@hawser/syncagent-api';

/**
 * Result of compiling rules. Either they are usable, and `warnings` lists ignored parts; or they are not, and
 * `findings` lists all problems and warnings, each with the path of its field.
 */
export type Compilation<T> =
  | { readonly kind: 'compiled'; readonly value: T; readonly warnings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** Collects findings while rules are compiled. */
export class Findings {
  readonly #list: Finding[] = [];

  error(path: string, message: string): void {
    this.#list.push({ severity: 'error', path, message });
  }

  warning(path: string, message: string): void {
    this.#list.push({ severity: 'warning', path, message });
  }

  /** Reports if none of these is set, or more than the first one, which then wins. */
  exactlyOne(path: string, fields: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(fields);
    const [first, ...others] = names.filter((name) => fields[name] !== undefined);
    if (first === undefined) this.error(path, `needs one of ${names.join(', ')}`);
    else if (others.length > 0) this.warning(path, `only ${first} counts, not ${others.join(' and ')}`);
  }

  /** Takes over the findings of another compilation; returns its value, if any. */
  take<T>(compilation: Compilation<T>): T | undefined {
    this.#list.push(...(compilation.kind === 'compiled' ? compilation.warnings : compilation.findings));
    return compilation.kind === 'compiled' ? compilation.value : undefined;
  }

  /** The result for a value; an error discards the value. */
  conclude<T>(value: T): Compilation<T> {
    const findings = this.#list.slice();
    return findings.some(({ severity }) => severity === 'error')
      ? { kind: 'refused', findings }
      : { kind: 'compiled', value, warnings: findings };
  }
}
