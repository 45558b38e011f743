import { equal } from '@hawser/json';
import type { JsonSchemaProps } from '../json-schema-props.js';
import type { CrdPrinterColumn, CrdSpec, CrdSubresources, CrdVersion } from './custom-resource-definition.js';

/**
 * A CRD's spec in the API server's internal form. Fields that all versions share are at the top, and errors about them
 * have paths that no CRD on the wire has (`spec.validation` instead of `spec.versions[0].schema`).
 */
export interface InternalSpec {
  readonly validation: Validation | undefined;
  readonly subresources: CrdSubresources | undefined;
  readonly additionalPrinterColumns: readonly CrdPrinterColumn[];
  readonly selectableFields: readonly { readonly jsonPath?: string }[];
  readonly versions: readonly CrdVersion[];
}

export interface Validation {
  readonly openAPIV3Schema?: JsonSchemaProps;
}

export function toInternalSpec(spec: CrdSpec): InternalSpec {
  const versions = spec.versions ?? [];
  const validation = common(versions, (version) => version.schema);
  const subresources = common(versions, (version) => version.subresources);
  const columns = common(versions, (version) => nonEmpty(version.additionalPrinterColumns));
  const selectableFields = common(versions, (version) => nonEmpty(version.selectableFields));
  return {
    validation: validation.value,
    subresources: subresources.value,
    additionalPrinterColumns: columns.value ?? [],
    selectableFields: selectableFields.value ?? [],
    versions: versions.map(
      ({ schema, subresources: own, additionalPrinterColumns, selectableFields: selectable, ...rest }) => ({
        ...rest,
        ...(schema === undefined || validation.isCommon ? {} : { schema }),
        ...(own === undefined || subresources.isCommon ? {} : { subresources: own }),
        ...(additionalPrinterColumns === undefined || columns.isCommon ? {} : { additionalPrinterColumns }),
        ...(selectable === undefined || selectableFields.isCommon ? {} : { selectableFields: selectable }),
      }),
    ),
  };
}

function common<T>(
  versions: readonly CrdVersion[],
  of: (version: CrdVersion) => T | undefined,
): { readonly isCommon: boolean; readonly value: T | undefined } {
  const [first] = versions;
  const value = first === undefined ? undefined : of(first);
  const isCommon = first !== undefined && versions.every((version) => equal(of(version), value));
  return { isCommon, value: isCommon ? value : undefined };
}

/** Go treats an empty list as absent. */
const nonEmpty = <T>(list: readonly T[] | undefined): readonly T[] | undefined =>
  list === undefined || list.length === 0 ? undefined : list;
