import { createHash } from 'node:crypto';
import { canonical } from '@hawser/json';
import type { DefinitionSpec } from '@hawser/schemadiff';

/**
 * Hash for approvals: SHA-256 in hex over the whole `spec` of a CRD or its like, so an approval never covers a newer
 * schema. Ignores the order of keys, names that an API server derives, and the conversion that it adds by default.
 */
export function schemaHash(candidate: DefinitionSpec): string {
  const { names, conversion, ...rest } = candidate as DefinitionSpec & { readonly conversion?: unknown };
  const { singular, listKind, ...own } = names as DefinitionSpec['names'] & {
    readonly singular?: string;
    readonly listKind?: string;
  };
  const normal = {
    ...rest,
    names: {
      ...own,
      singular: orElse(singular, names.kind.toLowerCase()),
      listKind: orElse(listKind, `${names.kind}List`),
    },
    conversion: conversion ?? { strategy: 'None' },
  };
  return createHash('sha256').update(canonical(normal), 'utf8').digest('hex');
}

function orElse(text: string | undefined, other: string): string {
  return text === undefined || text === '' ? other : text;
}
