import {
  type ResourceType,
  type TypeSource,
  metaOf,
  objectField,
  objectsField,
  stringField,
  withAt,
} from '@hawser/apiserver';
import type { JsonObject } from '@hawser/json';
import { typeOfDefinition } from './kinds/kind.js';

/** Resources bound in one logical cluster. */
export class BoundTypes implements TypeSource {
  readonly #listeners = new Set<() => void>();
  #types: readonly ResourceType[] = [];

  types(): readonly ResourceType[] {
    return this.#types;
  }

  set(types: readonly ResourceType[]): void {
    if (types.length === this.#types.length && types.every((type, index) => type === this.#types[index])) return;
    this.#types = types;
    for (const listener of [...this.#listeners]) listener();
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
      },
    };
  }
}

/**
 * Resources of APIResourceSchemas, each compiled once for all workspaces. Each identity has its own bucket: two exports
 * of the same name do not see each other's objects.
 */
export class SchemaTypes {
  readonly #types = new Map<string, ResourceType>();

  typeOf(schema: JsonObject, identityHash: string): ResourceType {
    const key = `${metaOf(schema).uid ?? ''} ${identityHash}`;
    let type = this.#types.get(key);
    if (type === undefined) {
      const spec = objectField(schema, 'spec') ?? {};
      const path = `${stringField(spec, 'group')}/${stringField(objectField(spec, 'names'), 'plural')}:${identityHash}`;
      type = {
        ...typeOfDefinition(definitionName(spec), metaOf(schema).uid ?? '', definitionOf(spec)),
        bucket: path,
        storagePath: `/registry/${path}`,
      };
      this.#types.set(key, type);
    }
    return type;
  }
}

export const definitionName = (spec: JsonObject): string =>
  `${stringField(objectField(spec, 'names'), 'plural')}.${stringField(spec, 'group')}`;

/** The spec of an APIResourceSchema as a CRD spec, which has its schemas one level deeper. */
export function definitionOf(spec: JsonObject): JsonObject {
  return {
    ...spec,
    versions: objectsField(spec, 'versions').map((version) =>
      withAt(version, ['schema'], { openAPIV3Schema: objectField(version, 'schema') ?? {} }),
    ),
  };
}
