import { notAcceptable } from './refused.js';

/** The form in which a client wants objects. Closed. */
export type Form =
  | { readonly kind: 'whole' }
  /** `PartialObjectMetadata` and `PartialObjectMetadataList`. */
  | { readonly kind: 'metadata' | 'metadataList' | 'table'; readonly version: string };

const FORMS: Readonly<Record<string, 'metadata' | 'metadataList' | 'table'>> = {
  partialobjectmetadata: 'metadata',
  partialobjectmetadatalist: 'metadataList',
  table: 'table',
};
const VERSIONS: readonly string[] = ['meta.k8s.io/v1', 'meta.k8s.io/v1beta1'];

/**
 * Reads an `Accept` header: the first range that the gateway can serve, as JSON. Pure.
 * @throws {Refused} 406
 */
export function formOf(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return { kind: 'whole' };
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') continue;
    const value = (name: string): string | undefined =>
      parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const [as, group, version] = ['as', 'g', 'v'].map(value);
    if (as === undefined && group === undefined && version === undefined) return { kind: 'whole' };
    const kind = as === undefined || !Object.hasOwn(FORMS, as) ? undefined : FORMS[as];
    const asked = `${group ?? ''}/${version ?? ''}`;
    if (kind !== undefined && VERSIONS.includes(asked)) return { kind, version: asked };
  }
  throw notAcceptable('only the following media types are accepted: application/json');
}
