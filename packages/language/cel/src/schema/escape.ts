/** Reserved words that cannot name a field unescaped (`apiserver/pkg/cel/escaping.go`). */
const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const symbols: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const names: ReadonlyMap<string, string> = new Map(Object.entries(symbols).map(([symbol, name]) => [name, symbol]));

/** A property's name in expressions, or undefined if it has none. */
export const escape = (property: string): string | undefined => {
  if (!/^[A-Za-z_.\-/][\w.\-/]*$/.test(property)) {
    return undefined;
  }
  return reserved.has(property)
    ? `__${property}__`
    : property.replace(/__|[.\-/]/g, (symbol) => symbols[symbol] ?? symbol);
};

/** The property for a name in an expression, or undefined. */
export const unescape = (name: string): string | undefined => {
  if (!name.includes('__')) {
    return name;
  }
  const escaped = name.match(/__[^_]+__/g) ?? [];
  const [first] = escaped;
  if (first === name && reserved.has(name.slice(2, -2))) {
    return name.slice(2, -2);
  }
  return escaped.every((sequence) => names.has(sequence))
    ? name.replace(/__[^_]+__/g, (sequence) => names.get(sequence) ?? sequence)
    : undefined;
};
