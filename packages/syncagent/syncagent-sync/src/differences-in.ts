import type { JsonObject, JsonValue } from '@hawser/json';

const SHOWN = 3;

/** The fields that a merge patch touches, without their values: those may be secret. */
export function differencesIn(patch: JsonObject): string {
  const paths = pathsOf(patch, []);
  const shown = paths.slice(0, SHOWN).join(', ');
  return paths.length > SHOWN ? `${shown} and ${paths.length - SHOWN} more` : shown;
}

function pathsOf(value: JsonValue | undefined, path: readonly string[]): readonly string[] {
  const fields =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value as JsonObject) : [];
  return fields.length === 0 ? [path.join('.')] : fields.flatMap(([key, child]) => pathsOf(child, [...path, key]));
}
