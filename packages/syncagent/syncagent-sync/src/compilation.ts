import type { Finding } from '@hawser/syncagent-api';

/**
 * What came of rules: either they can be used, and `warnings` says what in them does not count; or they cannot, and `findings` lists everything that is
 * wrong, warnings included, each with the path of its field.
 */
export type Compilation<T> =
  | { readonly kind: 'compiled'; readonly value: T; readonly warnings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly findings: readonly Finding[] };

/** What is found while rules are compiled. */
export class Findings {
  readonly #list: Finding[] = [];

  error(path: string, message: string): void {
    this.#list.push({ severity: 'error', path, message });
  }

  warning(path: string, message: string): void {
    this.#list.push({ severity: 'warning', path, message });
  }

  /** Says so where none of these is set, or more than the first one, which then counts alone. */
  exactlyOne(path: string, fields: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(fields);
    const [first, ...others] = names.filter((name) => fields[name] !== undefined);
    if (first === undefined) this.error(path, `needs one of ${names.join(', ')}`);
    else if (others.length > 0) this.warning(path, `only ${first} counts, not ${others.join(' and ')}`);
  }

  /** Takes over what another compilation found; its value, if it has one. */
  take<T>(compilation: Compilation<T>): T | undefined {
    this.#list.push(...(compilation.kind === 'compiled' ? compilation.warnings : compilation.findings));
    return compilation.kind === 'compiled' ? compilation.value : undefined;
  }

  /** The outcome for a value; it does not count where there was an error. */
  conclude<T>(value: T): Compilation<T> {
    const findings = this.#list.slice();
    return findings.some(({ severity }) => severity === 'error')
      ? { kind: 'refused', findings }
      : { kind: 'compiled', value, warnings: findings };
  }
}
