import { s, type Schema } from './schema/index.js';

const typeMeta = {
  apiVersion: s.optional(s.string({ description: 'Group and version of this object.' })),
  kind: s.optional(s.string({ description: 'Kind of this object.' })),
  metadata: s.optional(s.emptyObject()),
};

/** Fields that a rule at the root may read: of `metadata`, the server shows rules only the name. */
export interface RootView<S> {
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  readonly spec: S;
}

/** The object around `spec` and `status`, with `spec` required. */
export function root<S>(spec: Schema<S>, status: Schema<unknown>): Schema<RootView<S>> {
  return s.object({ ...typeMeta, spec, status: s.optional(status) });
}

/** The object around `spec` and `status`, both optional. */
export function rootWithOptionalSpec(spec: Schema<unknown>, status?: Schema<unknown>): Schema<unknown> {
  return s.object({
    ...typeMeta,
    spec: s.optional(spec),
    ...(status === undefined ? {} : { status: s.optional(status) }),
  });
}
