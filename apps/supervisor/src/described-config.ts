import { LEFT_OUT, withoutSecrets } from '@hawser/support-bundle';
import { parse } from 'yaml';

import { YAML_LIMITS, parseConfig } from '@hawser/config';

const sensitive = /secret|token|passw|credential/iu;
/** Keys that locate a secret without containing it. */
const locating = /(?:File|Name|Namespace|Ref)$/u;
/** Names of people, or of their groups. */
const people: ReadonlySet<string> = new Set(['users', 'groups']);

/**
 * The effective config as text, defaults included, without actual or possible secrets.
 * @throws Error if the text is not a config file
 */
export function describedConfig(text: string): unknown {
  return described(parseConfig(parse(text, YAML_LIMITS) ?? {}, 'config file'), '');
}

function described(value: unknown, key: string): unknown {
  if (typeof value === 'string')
    return value !== '' && sensitive.test(key) && !locating.test(key) ? LEFT_OUT : withoutSecrets(value);
  if (Array.isArray(value))
    return people.has(key) ? `${value.length} ${LEFT_OUT}` : value.map((item) => described(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    // A mapping under such a name describes how to treat secrets, or where one is.
    Object.entries(value).map(([name, inner]) => [name, described(inner, name)]),
  );
}
