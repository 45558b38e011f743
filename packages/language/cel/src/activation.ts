import type { Value } from './values/value.js';

/** The names visible to a running expression. */
export class Activation {
  constructor(
    private readonly name: string,
    private readonly value: Value,
    private readonly parent: Activation | undefined,
  ) {}

  find(name: string): Value | undefined {
    return name === this.name ? this.value : this.parent?.find(name);
  }
}
