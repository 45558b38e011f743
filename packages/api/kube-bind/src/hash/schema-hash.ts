import { createHash } from 'node:crypto';
import type { BoundSchemaConversion, BoundSchemaSpec } from '../kinds/bound-schema.js';
import { encodeNames, encodeVersion } from '@hawser/crd';
import { goArray, goString, goStruct, goRaw, unlessEmpty } from '@hawser/json';

/**
 * The spec of a BoundSchema as Go's encoder writes it, newline included. The raw schema gets its keys in the order of their bytes, as both of
 * its sources have them.
 */
export function encodeBoundSchemaSpec(spec: BoundSchemaSpec): string {
  return `${goStruct([
    ['informerScope', goString(spec.informerScope)],
    ['group', goString(spec.group)],
    ['names', encodeNames(spec.names)],
    ['scope', goString(spec.scope)],
    ['versions', goArray(spec.versions, (version) => encodeVersion(version, goRaw(version.schema)))],
    ['conversion', spec.conversion === undefined ? undefined : encodeConversion(spec.conversion)],
  ])}\n`;
}

/** Value of the annotation `sourceSpecHash` of a BoundSchema: SHA-256 in hex (spec/kube-bind-api.md §13.2). */
export function schemaHash(spec: BoundSchemaSpec): string {
  return exportHash([spec]);
}

/** The same of an APIServiceExport: over the specs of its BoundSchemas, in the order of `spec.resources`. */
export function exportHash(specs: readonly BoundSchemaSpec[]): string {
  const hash = createHash('sha256');
  for (const spec of specs) hash.update(encodeBoundSchemaSpec(spec), 'utf8');
  return hash.digest('hex');
}

function encodeConversion({ strategy, webhook }: BoundSchemaConversion): string {
  const clientConfig = webhook?.clientConfig;
  return goStruct([
    ['strategy', goString(strategy ?? '')],
    [
      'webhook',
      webhook === undefined
        ? undefined
        : goStruct([
            [
              'clientConfig',
              clientConfig === undefined
                ? undefined
                : goStruct([
                    ['url', clientConfig.url === undefined ? undefined : goString(clientConfig.url)],
                    ['caBundle', unlessEmpty(canonicalBase64(clientConfig.caBundle))],
                  ]),
            ],
            // A list that is absent in Go encodes as null here.
            [
              'conversionReviewVersions',
              webhook.conversionReviewVersions === undefined
                ? 'null'
                : goArray(webhook.conversionReviewVersions, goString),
            ],
          ]),
    ],
  ]);
}

/** Go decodes bytes and encodes them again: line breaks and the like do not count. */
function canonicalBase64(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString('base64');
}
