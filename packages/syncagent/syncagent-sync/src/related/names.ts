const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/u;

/**
 * Whether a text is valid as the name of an object of any kind. A kind may have stricter rules, which its API server
 * checks.
 */
export const canBeName = (text: string): boolean =>
  text !== '' && text !== '.' && text !== '..' && text.length <= 253 && !/[/%\s]/u.test(text);

export const canBeNamespace = (text: string): boolean => LABEL.test(text);
