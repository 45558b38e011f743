const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;
const PREFIX = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** Whether a text is valid as the key of a label: a name, optionally after a domain and a slash. */
export function isLabelKey(text: string): boolean {
  const [first = '', second, ...more] = text.split('/');
  if (more.length > 0) return false;
  return second === undefined ? NAME.test(first) : first.length <= 253 && PREFIX.test(first) && NAME.test(second);
}

export const isLabelValue = (text: string): boolean => text === '' || NAME.test(text);
