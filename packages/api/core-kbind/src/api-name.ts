/**
 * Parses `plural.group`, the form in which bindings name APIs. Undefined for any other text, and without a group: APIs
 * of the core group cannot be bound.
 */
export function parseAPIName(name: string): { readonly resource: string; readonly group: string } | undefined {
  const dot = name.indexOf('.');
  if (dot <= 0 || dot === name.length - 1) return undefined;
  return { resource: name.slice(0, dot), group: name.slice(dot + 1) };
}
