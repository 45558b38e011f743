import type { ResourceType, ServedVersion } from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';

/** Conversion between the stored version of a kind and an older one; pure. */
export interface Conversion {
  /** The version that is not stored. */
  readonly version: string;
  fromStored(object: JsonObject): JsonObject;
  toStored(object: JsonObject): JsonObject;
}

/** A type with conversion between its versions. */
export function withConversion(type: ResourceType, conversion: Conversion): ResourceType {
  const stored = type.versions.find(({ version }) => version === type.storageVersion);
  if (stored === undefined) return type;
  return {
    ...type,
    versions: type.versions.map((version) =>
      version.version === conversion.version ? converted(version, stored, conversion) : version,
    ),
  };
}

function converted(version: ServedVersion, stored: ServedVersion, conversion: Conversion): ServedVersion {
  const views = new WeakMap<JsonObject, JsonObject>();
  const storedApiVersion = `${stored.group}/${stored.version}`;
  const apiVersion = `${version.group}/${version.version}`;
  const view = (object: JsonObject): JsonObject => {
    const known = views.get(object);
    if (known !== undefined) return known;
    const made = { ...conversion.fromStored(stored.codec.fromStorage(object)), apiVersion };
    views.set(object, made);
    return made;
  };
  return {
    ...version,
    codec: {
      decode: (document, options) => version.codec.decode(document, options),
      fromStorage: view,
      // Converted objects get the stored version's defaults.
      toStorage: (object) =>
        stored.codec.decode({ ...conversion.toStored(object), apiVersion: storedApiVersion }).object,
    },
  };
}

/** A type whose defaults appear in the answer to a write, also in fields that the write does not set. */
export function withDefaultsOnRead(type: ResourceType): ResourceType {
  return {
    ...type,
    versions: type.versions.map((version) => {
      const { codec } = version;
      return {
        ...version,
        codec: {
          decode: (document, options) => codec.decode(document, options),
          fromStorage: (object) => codec.fromStorage(object),
          toStorage: (object) => codec.toStorage(object),
        },
      };
    }),
  };
}
