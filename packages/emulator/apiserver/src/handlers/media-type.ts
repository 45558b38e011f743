import { remembered } from '../object/remembered.js';
import { notAcceptable } from '../status.js';

/** Form of the answer that the client wants. */
export type Representation =
  | { readonly kind: 'object' }
  | { readonly kind: 'metadata'; readonly version: MetaVersion }
  | { readonly kind: 'metadataList'; readonly version: MetaVersion }
  | { readonly kind: 'table'; readonly version: MetaVersion };

export type MetaVersion = 'meta.k8s.io/v1' | 'meta.k8s.io/v1beta1';

export interface Accepted {
  readonly representation: Representation;
  readonly format: 'json' | 'yaml';
  readonly pretty: boolean;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** Parses `Accept`. Throws 406 if no acceptable form is available. */
export function negotiate(accept: string): Accepted {
  const accepted = read(accept);
  if (accepted === undefined)
    throw notAcceptable(`only the following media types are accepted: ${MEDIA_TYPES.join(', ')}`);
  return accepted;
}

/** A client sends the same few values with all requests. */
const read = remembered(100, (accept): Accepted | undefined => {
  if (accept === '') return { representation: { kind: 'object' }, format: 'json', pretty: false };
  for (const clause of clausesOf(accept)) {
    const format = formatOf(clause.type);
    const representation = representationOf(clause.parameters);
    if (format !== undefined && representation !== undefined)
      return { representation, format, pretty: clause.parameters.get('pretty') === '1' };
  }
  return undefined;
});

function clausesOf(accept: string): readonly Clause[] {
  const clauses = accept.split(',').map((part): Clause => {
    const [type = '', ...rest] = part.split(';').map((piece) => piece.trim());
    const parameters = new Map(
      rest.map((piece): [string, string] => {
        const equals = piece.indexOf('=');
        return equals < 0
          ? [piece, '']
          : [
              piece.slice(0, equals).trim(),
              piece
                .slice(equals + 1)
                .trim()
                .replaceAll('"', ''),
            ];
      }),
    );
    const quality = Number(parameters.get('q') ?? 1);
    parameters.delete('q');
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
  });
  return clauses.sort((a, b) => b.quality - a.quality);
}

function formatOf(type: string): 'json' | 'yaml' | undefined {
  if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json';
  return type === 'application/yaml' ? 'yaml' : undefined;
}

const FORMS: Readonly<Record<string, 'metadata' | 'metadataList' | 'table' | undefined>> = {
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadataList',
  Table: 'table',
};

function representationOf(parameters: ReadonlyMap<string, string>): Representation | undefined {
  const kind = parameters.get('as');
  if (kind === undefined && !parameters.has('g') && !parameters.has('v')) return { kind: 'object' };
  const version = `${parameters.get('g') ?? ''}/${parameters.get('v') ?? ''}`;
  if (version !== 'meta.k8s.io/v1' && version !== 'meta.k8s.io/v1beta1') return undefined;
  const form = kind === undefined ? undefined : FORMS[kind];
  return form === undefined ? undefined : { kind: form, version };
}
