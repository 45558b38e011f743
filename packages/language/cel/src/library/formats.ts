import { fn, type Library, method } from '../check/declarations.js';
import { listOf, opaque, optionalOf, types } from '../check/type.js';
import { list } from '../values/collections.js';
import { NamedFormat, namedFormats } from '../values/named-format.js';
import { Optional } from '../values/value.js';
import { instance, text } from './arguments.js';

const type = opaque('kubernetes.NamedFormat');
const { string } = types;

/** Named formats (`kubernetes.format`). */
export const formats: Library = [
  ...Array.from(namedFormats, ([name, format]) => fn(`format.${name}`, [], type, () => format)),
  fn('format.named', [string], optionalOf(type), (name) => {
    const format = namedFormats.get(text(name));
    return format === undefined ? Optional.none : Optional.of(format);
  }),
  method('validate', [type, string], optionalOf(listOf(string)), (format, value) => {
    const errors = instance(NamedFormat, format).validate(text(value));
    return errors.length === 0 ? Optional.none : Optional.of(list(errors));
  }),
];
