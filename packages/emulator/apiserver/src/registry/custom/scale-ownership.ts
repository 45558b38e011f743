import type { JsonObject } from '@hawser/json';
import { FieldSet, type Path, type TrackedType, customResourceType, fieldPath } from '../../server-side-apply/index.js';
import { stringField, withoutFields } from '../../object/json.js';
import { metaOf, withMeta } from '../../object/meta.js';
import { StatusError } from '../../status.js';
import type { OwnershipChange } from '../field-ownership.js';
import { ManagedFields } from '../managed-fields.js';

const SCALE = 'autoscaling/v1';
const REPLICAS = fieldPath('spec', 'replicas');

const scaleType = customResourceType({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
});
const tracked: TrackedType = { typeOf: (apiVersion) => (apiVersion === SCALE ? scaleType : undefined) };

/**
 * Ownership of an object's replicas through its scale (apimachinery `managedfields.ScaleHandler`). Owners of the
 * object's replicas own the scale's; changes by a write to the scale are written back. An entry from the scale has no
 * time, as in the real server.
 */
export class ScaleOwnership {
  readonly #fields = new ManagedFields({ tracked, apiVersion: SCALE, kind: 'Scale', subresource: 'scale' });
  readonly #apiVersion: string;
  readonly #paths: ReadonlyMap<string, Path | undefined>;

  /** `paths`: place of the replicas in each version, undefined for versions without a scale. */
  constructor(apiVersion: string, paths: ReadonlyMap<string, Path | undefined>) {
    this.#apiVersion = apiVersion;
    this.#paths = paths;
  }

  /** The scale of `object`, with its owners. */
  owned(object: JsonObject, scale: JsonObject): JsonObject {
    return withMeta(scale, { managedFields: this.#ofScale(metaOf(object).managedFields ?? []) });
  }

  /** The object's managedFields after its scale, `live`, has become `next`. */
  update(
    object: JsonObject,
    live: JsonObject,
    next: JsonObject,
    change: OwnershipChange,
  ): readonly JsonObject[] | undefined {
    const written = this.#fields.update(live, next, change);
    return this.#ofObject(metaOf(object).managedFields ?? [], metaOf(written).managedFields ?? []);
  }

  /** Applying a custom resource's scale fails without a conflict, as in the real server, which lacks a conversion. */
  apply(live: JsonObject, config: JsonObject, change: OwnershipChange & { readonly force: boolean }): never {
    this.#fields.apply(live, config, change);
    const { namespace = '', name = '' } = metaOf(config);
    throw new StatusError(
      500,
      '',
      `failed to convert new object (${namespace}/${name}; ${SCALE}, Kind=Scale) to proper version: request to convert CR to an invalid group/version: ${SCALE}`,
    );
  }

  #ofScale(entries: readonly JsonObject[]): readonly JsonObject[] | undefined {
    const owners = entries.filter((entry) => ownsReplicas(entry, this.#paths.get(stringField(entry, 'apiVersion'))));
    return owners.length === 0
      ? undefined
      : owners.map((entry) => ({ ...entry, apiVersion: SCALE, fieldsV1: FieldSet.of(REPLICAS).toFieldsV1() }));
  }

  #ofObject(entries: readonly JsonObject[], scaleEntries: readonly JsonObject[]): readonly JsonObject[] | undefined {
    const fromScale = new Map(scaleEntries.map((entry) => [identity(entry), entry]));
    const times = new Map(entries.map((entry) => [identity(entry), entry['time']]));
    const result: JsonObject[] = [];
    for (const entry of entries) {
      const apiVersion = stringField(entry, 'apiVersion');
      if (!this.#paths.has(apiVersion)) continue;
      const path = this.#paths.get(apiVersion);
      if (path === undefined || !ownsReplicas(entry, path) || fromScale.delete(identity(entry))) {
        result.push(entry);
        continue;
      }
      const rest = fieldsOf(entry).difference(FieldSet.of(path));
      if (!rest.isEmpty) result.push({ ...entry, fieldsV1: rest.toFieldsV1() });
    }
    const own = this.#paths.get(this.#apiVersion);
    for (const [id, entry] of fromScale) {
      if (own === undefined || !ownsReplicas(entry, REPLICAS)) continue;
      const time = times.get(id);
      result.push({
        ...withoutFields(entry, 'time'),
        apiVersion: this.#apiVersion,
        ...(time === undefined ? {} : { time }),
        fieldsV1: FieldSet.of(own).toFieldsV1(),
      });
    }
    return result.length === 0 ? undefined : result.sort(compareEntries);
  }
}

const fieldsOf = (entry: JsonObject): FieldSet => FieldSet.parse((entry['fieldsV1'] ?? {}) as JsonObject);

const ownsReplicas = (entry: JsonObject, path: Path | undefined): boolean =>
  path !== undefined && fieldsOf(entry).has(path);

/** An applier is the same in all versions. */
function identity(entry: JsonObject): string {
  const operation = stringField(entry, 'operation');
  return JSON.stringify([
    stringField(entry, 'manager'),
    operation,
    operation === 'Apply' ? '' : stringField(entry, 'apiVersion'),
    stringField(entry, 'subresource'),
  ]);
}

function compareEntries(a: JsonObject, b: JsonObject): number {
  for (const key of ['operation', 'time', 'manager', 'apiVersion', 'subresource']) {
    const left = stringField(a, key);
    const right = stringField(b, key);
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
