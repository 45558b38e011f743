import { field, objectsField, stringField, stringsField } from '@hawser/apiserver';
import { type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import type { GroupResource } from '@hawser/apiserver';

/** This annotation keeps fields of the older version that the newer one lacks. */
export const V1ALPHA1_CLAIMS = 'apis.v1alpha2.kcp.io/v1alpha1-permission-claims';

/** A copy without undefined fields and zeros, like Go's `omitempty`. */
export function compact(object: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter(
      ([, value]) =>
        value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
}

export const isSameClaim = (a: JsonObject, b: JsonObject): boolean =>
  stringField(a, 'group') === stringField(b, 'group') &&
  stringField(a, 'resource') === stringField(b, 'resource') &&
  stringField(a, 'identityHash') === stringField(b, 'identityHash');

/** Every verb, and for a scoped claim every object: all that v1alpha1 can express. */
export const isForAllVerbs = (claim: JsonObject): boolean => {
  const verbs = stringsField(claim, 'verbs');
  return verbs.length === 1 && verbs[0] === '*';
};

export const resourceOfClaim = (claim: JsonObject): GroupResource => ({
  group: stringField(claim, 'group'),
  resource: stringField(claim, 'resource'),
});

/** `group`, `resource` and `identityHash` as v1alpha1 has them. */
export const identityOf1 = (claim: JsonObject): JsonObject =>
  compact({
    group: field(claim, 'group'),
    resource: field(claim, 'resource'),
    identityHash: field(claim, 'identityHash'),
  });

/** In the annotation's field order. */
export function claim1(claim: JsonObject): JsonObject {
  return compact({
    group: field(claim, 'group'),
    resource: field(claim, 'resource'),
    resourceSelector: field(claim, 'resourceSelector'),
    all: field(claim, 'all'),
    identityHash: field(claim, 'identityHash'),
    state: field(claim, 'state'),
  });
}

/** The list in an annotation; empty if absent or not a list. */
export function annotatedList(annotations: Readonly<Record<string, string>>, key: string): readonly JsonObject[] {
  const text = annotations[key];
  if (text === undefined) return [];
  try {
    return objectsField({ list: parse(text) }, 'list');
  } catch {
    return [];
  }
}

/** Sets a list in an annotation, or removes the annotation if the list is empty. */
export function withAnnotatedList(
  annotations: Readonly<Record<string, string>>,
  key: string,
  list: readonly JsonObject[],
): Readonly<Record<string, string>> {
  const others = Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== key));
  return list.length === 0 ? others : { ...others, [key]: stringify(list) };
}

/** With `all` and `resourceSelector` from the original in the annotation. */
export function restored(claims: readonly JsonObject[], originals: readonly JsonObject[]): readonly JsonObject[] {
  return claims.map((claim) => {
    const original = originals.find((each) => isSameClaim(each, claim));
    return original === undefined
      ? claim
      : compact({ ...claim, all: field(original, 'all'), resourceSelector: field(original, 'resourceSelector') });
  });
}
