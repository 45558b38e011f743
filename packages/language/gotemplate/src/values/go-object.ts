import type { TemplateFunction } from '../template-function.js';
import type { GoValue } from './go-value.js';

type Methods = Readonly<Record<string, TemplateFunction>>;

export interface GoObjectOptions {
  /** The type's Go name, the result of `typeOf`: `time.Time`. */
  readonly type: string;
  /** Default `struct`. */
  readonly kind?: 'struct' | 'ptr' | undefined;
  readonly fields?: Readonly<Record<string, GoValue>> | undefined;
  /** Targets of `.Value.Name` and `.Value.Name arg`; a function is called once, on first use. */
  readonly methods?: Methods | (() => Methods) | undefined;
  /** Printed text, like Go's `String` method. Without it the fields are printed. */
  readonly text?: (() => string) | undefined;
  /** Its JSON, if not its text. */
  readonly json?: (() => string) | undefined;
  /** The wrapped value, for functions that know the type. */
  readonly held?: unknown;
}

/**
 * A value of a Go struct type without a JSON form: a time, a version, the result of a path. As in Go a struct is always
 * true.
 *
 * @example
 * const value = new GoObject({ type: 'gjson.Result', text: () => 'abc', methods: { Exists: fn([], () => true) } });
 * compile('{{ .Value }} {{ .Value.Exists }}').render({ Value: value }); // abc true
 */
export class GoObject {
  readonly type: string;
  readonly kind: 'struct' | 'ptr';
  readonly fields: Readonly<Record<string, GoValue>>;
  readonly text: (() => string) | undefined;
  readonly json: (() => string) | undefined;
  readonly held: unknown;
  #methods: Methods | (() => Methods);

  constructor(options: GoObjectOptions) {
    this.type = options.type;
    this.kind = options.kind ?? 'struct';
    this.fields = options.fields ?? {};
    this.#methods = options.methods ?? {};
    this.text = options.text;
    this.json = options.json;
    this.held = options.held;
  }

  get methods(): Methods {
    if (typeof this.#methods === 'function') this.#methods = this.#methods();
    return this.#methods;
  }
}
