import type { JsonArray, JsonObject, JsonValue } from '@hawser/json';

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonArray = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value);
