import type { FunctionMap } from '../template-function.js';
import { crypto } from './crypto.js';
import { dates } from './dates.js';
import { defaults } from './defaults.js';
import { dicts } from './dicts.js';
import { encodings } from './encodings.js';
import { environment } from './environment.js';
import { json } from './json.js';
import { lists } from './lists.js';
import { numbers } from './numbers.js';
import type { SprigOptions } from './options.js';
import { paths } from './paths.js';
import { randomness } from './random.js';
import { regex } from './regex.js';
import { strings } from './strings.js';
import { urls } from './urls.js';
import { versions } from './versions.js';

/**
 * The text functions of sprig 3.3.0, by name. Compilation refuses some (`getHostByName`, and those that make
 * certificates). `env` and `expandenv` see only the given environment.
 *
 * @example
 * compile('{{ .name | upper | quote }}', { functions: sprigFunctions({ clock: systemClock, random: randomBytes }) }).render({ name: 'a' }); // "A"
 */
export function sprigFunctions(options: SprigOptions): FunctionMap {
  return {
    ...strings,
    ...numbers,
    ...defaults,
    ...lists,
    ...dicts,
    ...json,
    ...paths,
    ...encodings,
    ...regex,
    ...versions,
    ...urls,
    ...dates(options),
    ...randomness(options),
    ...crypto(options),
    ...environment(options),
  };
}
