import type { GoValue } from '../values/go-value.js';

interface Variable {
  readonly name: string;
  value: GoValue;
}

/** Variables of one template, innermost last. The first is `$`, the argument of the call. */
export class Variables {
  #stack: Variable[];

  constructor(dot: GoValue) {
    this.#stack = [{ name: '$', value: dot }];
  }

  declare(name: string, value: GoValue): void {
    this.#stack.push({ name, value });
  }

  /** Replaces the variable at a mark, as a range does for each element. */
  replace(mark: number, value: GoValue): void {
    const variable = this.#stack[mark];
    if (variable !== undefined) this.#stack[mark] = { name: variable.name, value };
  }

  /** Returns whether the variable exists. */
  assign(name: string, value: GoValue): boolean {
    const variable = this.#find(name);
    if (variable !== undefined) variable.value = value;
    return variable !== undefined;
  }

  /** `undefined`: no such variable, which parsing has excluded. */
  get(name: string): GoValue {
    return this.#find(name)?.value;
  }

  /** Where {@link release} goes back to. */
  mark(): number {
    return this.#stack.length;
  }

  release(mark: number): void {
    this.#stack.length = mark;
  }

  #find(name: string): Variable | undefined {
    return this.#stack.findLast((known) => known.name === name);
  }
}
