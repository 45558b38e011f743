import type { SchemaNode } from './node.js';

declare const phantom: unique symbol;

/** A schema of values of type `T`. */
export interface Schema<out T> {
  readonly node: SchemaNode;
  readonly [phantom]?: T;
}

/** A schema of a field that may be absent. */
export interface OptionalSchema<out T> extends Schema<T> {
  readonly optional: true;
}

/** The TypeScript type of a schema's values. */
export type Infer<S> = S extends { readonly [phantom]?: infer T } ? T : never;

/** The fields of an object; a field is required unless it is wrapped in `optional`. */
export type Shape = Readonly<Record<string, Schema<unknown>>>;

type OptionalKeys<P extends Shape> = { [K in keyof P]: P[K] extends OptionalSchema<unknown> ? K : never }[keyof P];
type Flatten<T> = { [K in keyof T]: T[K] };

/** The object type that a shape describes. */
export type ObjectOf<P extends Shape> = Flatten<
  { readonly [K in Exclude<keyof P, OptionalKeys<P>>]: Infer<P[K]> } & {
    readonly [K in OptionalKeys<P>]?: Infer<P[K]> | undefined;
  }
>;
