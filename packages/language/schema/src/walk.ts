import { type Finding, Findings } from './findings.js';

/**
 * A walk through one value: where it is, and where findings go. The path is put together only for findings, so that a walk through
 * a valid object allocates nothing.
 */
export class Walk {
  findings = new Findings();
  readonly #segments: (string | number)[] = [];

  /** As kube-openapi writes it: `spec.list[0].name`; empty for the root. */
  get path(): string {
    let path = '';
    for (const segment of this.#segments) {
      if (typeof segment === 'number') path += `[${segment}]`;
      else path += path === '' ? segment : `.${segment}`;
    }
    return path;
  }

  get depth(): number {
    return this.#segments.length;
  }

  /** Into an item, or a field that the schema names. */
  enter(segment: string | number): void {
    this.#segments.push(segment);
  }

  /** Into a field that falls under `additionalProperties`: kube-openapi puts a dot before it at the root too. */
  enterAdditional(key: string): void {
    this.#segments.push(this.#segments.length === 0 ? `.${key}` : key);
  }

  leave(): void {
    this.#segments.pop();
  }

  add(finding: Finding): void {
    this.findings.add(finding);
  }

  /** What `visit` finds, apart from the rest. */
  apart(visit: () => void): Findings {
    const outer = this.findings;
    const inner = new Findings();
    this.findings = inner;
    visit();
    this.findings = outer;
    return inner;
  }
}
