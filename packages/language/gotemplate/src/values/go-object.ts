import type { TemplateFunction } from '../template-function.js';
import type { GoValue } from './go-value.js';

type Methods = Readonly<Record<string, TemplateFunction>>;

export interface GoObjectOptions {
  /** The Go name of the type, as `typeOf` answers it: `time.Time`. */
  readonly type: string;
  /** Default `struct`. */
  readonly kind?: 'struct' | 'ptr' | undefined;
  readonly fields?: Readonly<Record<string, GoValue>> | undefined;
  /** What `.Value.Name` and `.Value.Name arg` call; a function is asked once, when the first is called. */
  readonly methods?: Methods | (() => Methods) | undefined;
  /** What printing gives, like Go's `String` method. Without it the fields are printed. */
  readonly text?: (() => string) | undefined;
  /** What it is as JSON, if not its text. */
  readonly json?: (() => string) | undefined;
  /** What it stands for, for functions that know the type. */
  readonly held?: unknown;
}

/**
 * A value of a Go struct type, for what JSON has no form: a time, a version, the result of a path. As in Go a struct is always true.
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
