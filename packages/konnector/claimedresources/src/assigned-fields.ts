import type { UnstructuredObject } from '@hawser/client';
import { isObject, type JsonObject, type JsonValue } from '@hawser/json';

/** Drops fields that a cluster assigns itself: they mean nothing in another one. By `apiVersion/kind`. */
const ASSIGNED: Readonly<Record<string, ((fields: JsonObject) => JsonObject) | undefined>> = {
  // Token Secrets: each side's controllers keep their own list.
  'v1/ServiceAccount': (fields) => drop(fields, ['secrets']),
  'v1/Service': (fields) =>
    inSpec(fields, (spec) => ({
      ...drop(spec, [
        'clusterIPs',
        'ipFamilies',
        'ipFamilyPolicy',
        'healthCheckNodePort',
        ...(spec['clusterIP'] === 'None' ? [] : ['clusterIP']),
      ]),
      ...(Array.isArray(spec['ports'])
        ? {
            ports: (spec['ports'] as readonly JsonValue[]).map((port) =>
              isObject(port) ? drop(port, ['nodePort']) : port,
            ),
          }
        : {}),
    })),
  'v1/PersistentVolumeClaim': (fields) => inSpec(fields, (spec) => drop(spec, ['volumeName'])),
};

/** The top-level fields of `object` without those that its cluster assigned. */
export function withoutAssigned({ apiVersion, kind }: UnstructuredObject, fields: JsonObject): JsonObject {
  return ASSIGNED[`${apiVersion}/${kind}`]?.(fields) ?? fields;
}

function inSpec(fields: JsonObject, change: (spec: JsonObject) => JsonObject): JsonObject {
  const spec = fields['spec'];
  return isObject(spec) ? { ...fields, spec: change(spec) } : fields;
}

function drop(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
