import { createHash } from 'node:crypto';
import { canonical } from '@hawser/json';
import type { DefinitionSpec } from '@hawser/schemadiff';

/**
 * What an approval names: SHA-256 in hex over everything that the `spec` of a CRD or its like says, so that an approval never covers something newer. The order
 * of keys makes no difference, nor do the names that an API server derives and the conversion that it adds where none is said.
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
