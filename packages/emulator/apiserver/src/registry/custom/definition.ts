import type { JsonObject } from '@hawser/json';
import type { JsonSchemaProps } from '@hawser/schema';
import { booleanField, field, objectField, objectsField, stringField, stringsField } from '../../object/json.js';
import { metaOf } from '../../object/meta.js';
import type { ScalePaths } from '../resource-type.js';

/** The served part of a stored CustomResourceDefinition. */
export interface Definition {
  readonly name: string;
  readonly uid: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly names: DefinitionNames;
  /** No pruning or defaults: the whole object is free form (CRDs from before apiextensions v1). */
  readonly preserveUnknownFields: boolean;
  readonly versions: readonly DefinitionVersion[];
  readonly storageVersion: string;
  /** NamesAccepted or Established. */
  readonly served: boolean;
  readonly terminating: boolean;
}

export interface DefinitionNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated: boolean;
  readonly deprecationWarning: string | undefined;
  readonly schema: JsonSchemaProps | undefined;
  readonly status: boolean;
  readonly scale: ScalePaths | undefined;
  readonly columns: readonly JsonObject[];
  /** JSON paths. */
  readonly selectableFields: readonly string[];
}

/** Reads a CRD that was validated on write. Names are the accepted ones. */
export function readDefinition(crd: JsonObject): Definition {
  const spec = objectField(crd, 'spec') ?? {};
  const versions = objectsField(spec, 'versions').map(readVersion);
  return {
    name: metaOf(crd).name ?? '',
    uid: metaOf(crd).uid ?? '',
    group: stringField(spec, 'group'),
    namespaced: stringField(spec, 'scope') === 'Namespaced',
    names: readNames(objectField(objectField(crd, 'status'), 'acceptedNames') ?? {}),
    preserveUnknownFields: booleanField(spec, 'preserveUnknownFields'),
    versions,
    storageVersion: versions.find((version) => version.storage)?.name ?? '',
    served: hasCondition(crd, 'Established') || hasCondition(crd, 'NamesAccepted'),
    terminating: hasCondition(crd, 'Terminating'),
  };
}

export function readNames(names: JsonObject): DefinitionNames {
  return {
    plural: stringField(names, 'plural'),
    singular: stringField(names, 'singular'),
    kind: stringField(names, 'kind'),
    listKind: stringField(names, 'listKind'),
    shortNames: stringsField(names, 'shortNames'),
    categories: stringsField(names, 'categories'),
  };
}

export function hasCondition(crd: JsonObject, type: string): boolean {
  return conditionsOf(crd).some((condition) => condition['type'] === type && condition['status'] === 'True');
}

export const conditionsOf = (crd: JsonObject): readonly JsonObject[] =>
  objectsField(objectField(crd, 'status'), 'conditions');

function readVersion(version: JsonObject): DefinitionVersion {
  const subresources = objectField(version, 'subresources');
  const scale = objectField(subresources, 'scale');
  const labelSelectorPath = stringField(scale, 'labelSelectorPath');
  const warning = field(version, 'deprecationWarning');
  return {
    name: stringField(version, 'name'),
    served: booleanField(version, 'served'),
    storage: booleanField(version, 'storage'),
    deprecated: booleanField(version, 'deprecated'),
    deprecationWarning: typeof warning === 'string' ? warning : undefined,
    schema: objectField(objectField(version, 'schema'), 'openAPIV3Schema'),
    status: objectField(subresources, 'status') !== undefined,
    scale:
      scale === undefined
        ? undefined
        : {
            specReplicasPath: stringField(scale, 'specReplicasPath'),
            statusReplicasPath: stringField(scale, 'statusReplicasPath'),
            labelSelectorPath: labelSelectorPath === '' ? undefined : labelSelectorPath,
          },
    columns: objectsField(version, 'additionalPrinterColumns'),
    selectableFields: objectsField(version, 'selectableFields').map((selectable) =>
      stringField(selectable, 'jsonPath'),
    ),
  };
}
