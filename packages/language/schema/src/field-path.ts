/** A field of a field: `spec` → `spec.name`. */
export const childPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** An item of a list: `spec.list` → `spec.list[0]`. */
export const indexPath = (path: string, index: number): string => `${path}[${index}]`;

/** A key of a map: `metadata.labels` → `metadata.labels[a.b/c]`. */
export const keyPath = (path: string, key: string): string => `${path}[${key}]`;
