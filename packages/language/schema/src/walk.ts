import { type Finding, Findings } from './findings.js';

/**
 * A walk through one value: its position, and its findings. Builds the path only for findings: a walk through a valid
 * object allocates nothing.
 */
export class Walk {
  findings = new Findings();
  readonly #segments: (string | number)[] = [];

  /** In kube-openapi's form: `spec.list[0].name`; empty for the root. */
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

  /** Enters an item, or a declared field. */
  enter(segment: string | number): void {
    this.#segments.push(segment);
  }

  /** Enters a field under `additionalProperties`: kube-openapi puts a dot before it at the root too. */
  enterAdditional(key: string): void {
    this.#segments.push(this.#segments.length === 0 ? `.${key}` : key);
  }

  leave(): void {
    this.#segments.pop();
  }

  add(finding: Finding): void {
    this.findings.add(finding);
  }

  /** Findings of `visit`, separately. */
  apart(visit: () => void): Findings {
    const outer = this.findings;
    const inner = new Findings();
    this.findings = inner;
    visit();
    this.findings = outer;
    return inner;
  }
}
