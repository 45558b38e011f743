export type { JsonArray, JsonObject, JsonValue } from './value.js';
export { type CanonicalOptions, canonical, compareBytes } from './canonical.js';
export { goArray, goRaw, goString, goStruct, listUnlessEmpty, unlessEmpty } from './go-json.js';
export { clone } from './clone.js';
export { equal } from './equal.js';
export { applyMergePatch, createMergePatch } from './merge-patch.js';
export { setOwn } from './own.js';
export { parse } from './parse.js';
export { stringify } from './stringify.js';
