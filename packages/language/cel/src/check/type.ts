/** Types of the language that take no parameters and no name. */
export type SimpleKind =
  'dyn' | 'error' | 'null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'timestamp' | 'duration';

export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** Type of a field by its CEL name (escaped), or undefined if the schema has no such field. */
  readonly field: (name: string) => Type | undefined;
}

export type Type =
  | { readonly kind: SimpleKind }
  | { readonly kind: 'list'; readonly element: Type }
  | { readonly kind: 'map'; readonly key: Type; readonly value: Type }
  | { readonly kind: 'optional'; readonly of: Type }
  | { readonly kind: 'type'; readonly of: Type | undefined }
  /** A type that a library brings: `net.IP`, `kubernetes.Quantity`. */
  | { readonly kind: 'opaque'; readonly name: string }
  | ObjectType
  /** A variable of a signature (`A`) or of the checker (`_var3`). */
  | { readonly kind: 'param'; readonly name: string };

export const types = {
  dyn: { kind: 'dyn' },
  error: { kind: 'error' },
  null: { kind: 'null' },
  bool: { kind: 'bool' },
  int: { kind: 'int' },
  uint: { kind: 'uint' },
  double: { kind: 'double' },
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  timestamp: { kind: 'timestamp' },
  duration: { kind: 'duration' },
} as const satisfies Readonly<Record<SimpleKind, Type>>;

export const listOf = (element: Type): Type => ({ kind: 'list', element });
export const mapOf = (key: Type, value: Type): Type => ({ kind: 'map', key, value });
export const optionalOf = (of: Type): Type => ({ kind: 'optional', of });
export const typeOf = (of: Type | undefined): Type => ({ kind: 'type', of });
export const opaque = (name: string): Type => ({ kind: 'opaque', name });
export const param = (name: string): Type => ({ kind: 'param', name });

/** Type parameters of a type. */
export const parametersOf = (type: Type): readonly Type[] => {
  if (type.kind === 'list') {
    return [type.element];
  }
  if (type.kind === 'map') {
    return [type.key, type.value];
  }
  return (type.kind === 'optional' || type.kind === 'type') && type.of !== undefined ? [type.of] : [];
};

/** The same type with other parameters. */
export const mapParameters = (type: Type, change: (parameter: Type) => Type): Type => {
  if (type.kind === 'list') {
    return listOf(change(type.element));
  }
  if (type.kind === 'map') {
    return mapOf(change(type.key), change(type.value));
  }
  if (type.kind === 'optional') {
    return optionalOf(change(type.of));
  }
  return type.kind === 'type' && type.of !== undefined ? typeOf(change(type.of)) : type;
};

const runtimeNames: Readonly<Partial<Record<Type['kind'], string>>> = {
  null: 'null_type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  optional: 'optional_type',
};

/** Name of a type at run time: the result of `type(x)`. */
export const runtimeName = (type: Type): string =>
  type.kind === 'opaque' ? type.name : (runtimeNames[type.kind] ?? type.kind);

const nameOf = (type: Type): string => ('name' in type ? type.name : '');

export const sameType = (a: Type, b: Type): boolean => {
  if (a.kind !== b.kind || nameOf(a) !== nameOf(b)) {
    return false;
  }
  const [as, bs] = [parametersOf(a), parametersOf(b)];
  return as.length === bs.length && as.every((parameter, index) => sameType(parameter, bs[index] ?? types.error));
};

/** A type's name in the API server's errors (cel-go `FormatCELType`). */
export const formatType = (type: Type): string => {
  if (type.kind === 'error') {
    return '!error!';
  }
  const parameters = parametersOf(type).map(formatType);
  const name = 'name' in type ? type.name : type.kind === 'optional' ? 'optional_type' : type.kind;
  return parameters.length === 0 ? name : `${name}(${parameters.join(', ')})`;
};
