export type { JsonArray, JsonObject, JsonValue } from './value.js';
