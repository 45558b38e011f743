/** A comparison in a selector: `app=web`, `app==web`, `app!=web`. */
const comparison = /^(?<key>[^\s!=(),]+)\s*(?<operator>==?|!=)\s*(?<value>[^\s!=(),]*)$/u;
/** A presence test in a selector: `app`, `!app`. */
const presence = /^(?<not>!?)\s*(?<key>[^\s!=(),]+)$/u;

/**
 * Whether a selector selects an object with these labels, as a server evaluates it. Undefined: only the server can
 * decide, as with `app in (web, api)`.
 */
export function selects(
  selector: string,
  labels: Readonly<Record<string, string>> | undefined = {},
): boolean | undefined {
  if (/[()<>]/u.test(selector)) return undefined;
  let all = true;
  for (const term of selector.split(',').map((each) => each.trim())) {
    if (term === '') continue;
    const outcome = selectsBy(term, labels);
    if (outcome === undefined) return undefined;
    all &&= outcome;
  }
  return all;
}

function selectsBy(term: string, labels: Readonly<Record<string, string>>): boolean | undefined {
  const present = presence.exec(term)?.groups;
  if (present !== undefined) return Object.hasOwn(labels, present['key'] ?? '') !== (present['not'] === '!');
  const compared = comparison.exec(term)?.groups;
  if (compared === undefined) return undefined;
  const { key = '', operator, value = '' } = compared;
  const isEqual = Object.hasOwn(labels, key) && labels[key] === value;
  return operator === '!=' ? !isEqual : isEqual;
}
