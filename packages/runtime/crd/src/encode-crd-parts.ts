import type { CRDNames, CRDPrinterColumn, CRDSubresources } from './crd-parts.js';
import { goBoolean, goString, goStruct, listUnlessEmpty, unlessEmpty } from '@hawser/json';

// Field orders of the Go types of apiextensions.k8s.io/v1.

export function encodeNames(names: CRDNames | undefined): string {
  return goStruct([
    ['plural', goString(names?.plural ?? '')],
    ['singular', unlessEmpty(names?.singular)],
    ['shortNames', listUnlessEmpty(names?.shortNames, goString)],
    ['kind', goString(names?.kind ?? '')],
    ['listKind', unlessEmpty(names?.listKind)],
    ['categories', listUnlessEmpty(names?.categories, goString)],
  ]);
}

/** The parts of a version on both sides of its schema. */
interface EncodableVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly subresources?: CRDSubresources | undefined;
  readonly additionalPrinterColumns?: readonly CRDPrinterColumn[] | undefined;
}

export function encodeVersion(version: EncodableVersion, schema: string): string {
  return goStruct([
    ['name', goString(version.name)],
    ['served', goBoolean(version.served)],
    ['storage', goBoolean(version.storage)],
    ['deprecated', version.deprecated === true ? 'true' : undefined],
    ['deprecationWarning', version.deprecationWarning === undefined ? undefined : goString(version.deprecationWarning)],
    ['schema', schema],
    ['subresources', encodeSubresources(version.subresources)],
    ['additionalPrinterColumns', listUnlessEmpty(version.additionalPrinterColumns, encodePrinterColumn)],
  ]);
}

/** `{}` for none. */
export function encodeSubresources(subresources: CRDSubresources | undefined): string {
  const scale = subresources?.scale;
  return goStruct([
    ['status', subresources?.status === undefined ? undefined : '{}'],
    [
      'scale',
      scale === undefined
        ? undefined
        : goStruct([
            ['specReplicasPath', goString(scale.specReplicasPath)],
            ['statusReplicasPath', goString(scale.statusReplicasPath)],
            [
              'labelSelectorPath',
              scale.labelSelectorPath === undefined ? undefined : goString(scale.labelSelectorPath),
            ],
          ]),
    ],
  ]);
}

export function encodePrinterColumn(column: CRDPrinterColumn): string {
  return goStruct([
    ['name', goString(column.name)],
    ['type', goString(column.type)],
    ['format', unlessEmpty(column.format)],
    ['description', unlessEmpty(column.description)],
    ['priority', column.priority === undefined || column.priority === 0 ? undefined : String(column.priority)],
    ['jsonPath', goString(column.jsonPath)],
  ]);
}
