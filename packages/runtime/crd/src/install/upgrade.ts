import type { CRDVersion, CustomResourceDefinition } from '../custom-resource-definition.js';
import { isRecord } from '../schema/index.js';

type SchemaObject = Readonly<Record<string, unknown>>;

/**
 * Computes the versions for an installed CRD that lacks something of `wanted`; undefined if it lacks nothing. Adds only
 * versions, fields and the status subresource. Everything installed stays, be it newer, looser or unknown here: our
 * upgrade never downgrades a foreign installation.
 */
export function upgradedVersions(
  installed: CustomResourceDefinition,
  wanted: CustomResourceDefinition,
): readonly CRDVersion[] | undefined {
  const completed = installed.spec.versions.map((version) => {
    const ours = wanted.spec.versions.find(({ name }) => name === version.name);
    return ours === undefined ? undefined : completedVersion(version, ours);
  });
  const missing = wanted.spec.versions.filter(
    ({ name }) => !installed.spec.versions.some((version) => version.name === name),
  );
  if (missing.length === 0 && completed.every((version) => version === undefined)) return undefined;
  const kept = installed.spec.versions.map((version, index) => completed[index] ?? version);
  const stored = storageVersion(installed, wanted);
  return [...kept, ...missing].map((version) =>
    version.storage === (version.name === stored) ? version : { ...version, storage: !version.storage },
  );
}

/**
 * Chooses the storage version. Ours becomes it only if it is new and the present one is known to be older. An unknown
 * version is newer than we are. A version installed beside ours was chosen on purpose.
 */
function storageVersion(installed: CustomResourceDefinition, wanted: CustomResourceDefinition): string | undefined {
  const present = installed.spec.versions.find(({ storage }) => storage)?.name;
  const ours = wanted.spec.versions.find(({ storage }) => storage)?.name;
  const isNew = !installed.spec.versions.some(({ name }) => name === ours);
  const isKnown = wanted.spec.versions.some(({ name }) => name === present);
  return isNew && (isKnown || present === undefined) ? ours : present;
}

/** Adds the missing parts to `installed`; undefined if none is missing. */
function completedVersion(installed: CRDVersion, ours: CRDVersion): CRDVersion | undefined {
  const lacksStatus = installed.subresources?.status === undefined && ours.subresources?.status !== undefined;
  const root = withMissingFields(installed.schema?.openAPIV3Schema, ours.schema?.openAPIV3Schema);
  if (!lacksStatus && root === undefined) return undefined;
  return {
    ...installed,
    ...(root === undefined ? {} : { schema: { ...installed.schema, openAPIV3Schema: root } }),
    ...(lacksStatus ? { subresources: { ...installed.subresources, status: {} } } : {}),
  };
}

/** Adds the missing properties to a schema; undefined if none is missing. */
function withMissingFields(installed: unknown, ours: unknown): SchemaObject | undefined {
  if (!isRecord(ours)) return undefined;
  if (!isRecord(installed)) return ours;
  // Such a node prunes nothing, so nothing is missing.
  if (installed['x-kubernetes-preserve-unknown-fields'] === true) return undefined;
  const changes: [string, unknown][] = [];
  if (isRecord(ours['properties']) && !isRecord(installed['additionalProperties'])) {
    const present = isRecord(installed['properties']) ? installed['properties'] : {};
    const completed = completedProperties(present, ours['properties']);
    if (completed.length > 0) changes.push(['properties', { ...present, ...Object.fromEntries(completed) }]);
    const added = completed.map(([name]) => name).filter((name) => !Object.hasOwn(present, name));
    const required = namesOf(ours['required']).filter((name) => added.includes(name));
    if (required.length > 0) changes.push(['required', [...namesOf(installed['required']), ...required]]);
  }
  for (const part of ['items', 'additionalProperties']) {
    if (!isRecord(installed[part])) continue;
    const completed = withMissingFields(installed[part], ours[part]);
    if (completed !== undefined) changes.push([part, completed]);
  }
  return changes.length === 0 ? undefined : { ...installed, ...Object.fromEntries(changes) };
}

function completedProperties(present: SchemaObject, ours: SchemaObject): readonly (readonly [string, unknown])[] {
  return Object.entries(ours).flatMap(([name, schema]): [string, unknown][] => {
    if (!Object.hasOwn(present, name)) return [[name, schema]];
    const completed = withMissingFields(present[name], schema);
    return completed === undefined ? [] : [[name, completed]];
  });
}

function namesOf(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}
