import type { JsonObject, JsonValue } from '@hawser/json';
import type { CrdSpec, CrdVersion } from '../crd/custom-resource-definition.js';
import type { JsonSchemaProps } from '../json-schema-props.js';

/** A valid CRD except for the case's change. */
export interface DefinitionCase {
  readonly name: string;
  readonly spec: CrdSpec;
  readonly metadata?: JsonObject;
}

const GROUP = 'cases.example.com';
const OBJECT: JsonSchemaProps = { type: 'object' };

const version = (change: Readonly<Record<string, unknown>> = {}): CrdVersion => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: OBJECT },
  ...change,
});

const base: CrdSpec = {
  group: GROUP,
  scope: 'Cluster',
  names: { plural: 'things', kind: 'Thing' },
  versions: [version()],
};

const specCase = (name: string, change: Readonly<Record<string, unknown>>, metadata?: JsonObject): DefinitionCase => ({
  name,
  spec: { ...base, ...change },
  ...(metadata === undefined ? {} : { metadata }),
});

const names = (name: string, change: Readonly<Record<string, unknown>>, metadata?: JsonObject): DefinitionCase =>
  specCase(name, { names: { ...base.names, ...change } }, metadata);

/** Two versions without common fields have errors with their own paths. */
const versions = (name: string, ...list: readonly CrdVersion[]): DefinitionCase => specCase(name, { versions: list });

const schema = (name: string, root: Readonly<Record<string, unknown>>): DefinitionCase =>
  versions(name, version({ schema: { openAPIV3Schema: root } }));

const field = (name: string, x: Readonly<Record<string, unknown>>): DefinitionCase =>
  schema(name, { type: 'object', properties: { spec: { type: 'object', properties: { x } } } });

const item = (
  properties: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> => ({ type: 'object', properties, ...more });

const listMap = (items: unknown, more: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items,
  ...more,
});

const conversion = (name: string, value: unknown): DefinitionCase =>
  specCase(`conversion: ${name}`, { conversion: value });
const webhook = (
  name: string,
  clientConfig: unknown,
  conversionReviewVersions: readonly string[] = ['v1'],
): DefinitionCase => conversion(name, { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } });
const column = (name: string, value: unknown): DefinitionCase =>
  versions(`column: ${name}`, version({ additionalPrinterColumns: [value] }));
const scale = (name: string, value: unknown): DefinitionCase =>
  versions(`scale: ${name}`, version({ subresources: { status: {}, scale: value } }));
const selectable = (name: string, ...paths: readonly string[]): DefinitionCase =>
  versions(
    `selectable: ${name}`,
    version({
      selectableFields: paths.map((jsonPath) => ({ jsonPath })),
      schema: {
        openAPIV3Schema: item({
          spec: item({
            ...Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}`, { type: 'string' }])),
            b: { type: 'boolean' },
            i: { type: 'integer' },
            n: { type: 'number' },
            o: item({ p: { type: 'string' } }),
            l: { type: 'array', items: { type: 'string' } },
            m: { type: 'object', additionalProperties: { type: 'string' } },
            'a.b': { type: 'string' },
          }),
          metadata: item({ name: { type: 'string' } }),
        }),
      },
    }),
  );
const rule = (name: string, value: Readonly<Record<string, unknown>>): DefinitionCase =>
  schema(
    `rule: ${name}`,
    item({
      spec: item(
        { a: { type: 'string' }, m: { type: 'object', additionalProperties: { type: 'string' } } },
        { 'x-kubernetes-validations': [{ rule: 'true', ...value }] },
      ),
    }),
  );
const withDefault = (name: string, x: Readonly<Record<string, unknown>>, value: JsonValue): DefinitionCase =>
  field(`default: ${name}`, { ...x, default: value });

const EMBEDDED = {
  type: 'object',
  'x-kubernetes-embedded-resource': true,
  'x-kubernetes-preserve-unknown-fields': true,
};

export const DEFINITION_CASES: readonly DefinitionCase[] = [
  specCase('nothing wrong', {}),
  specCase('no group', { group: '' }),
  specCase('group without dot', { group: 'example' }, { name: 'things.example' }),
  specCase('group in capitals', { group: 'Example.com' }),
  specCase('protected group', { group: 'x.k8s.io' }, { name: 'things.x.k8s.io' }),
  specCase(
    'protected group, bad approval',
    { group: 'x.kubernetes.io' },
    { name: 'things.x.kubernetes.io', annotations: { 'api-approved.kubernetes.io': 'yes' } },
  ),
  specCase(
    'protected group, unapproved',
    { group: 'x.k8s.io' },
    { name: 'things.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, test' } },
  ),
  specCase(
    'protected group, approved',
    { group: 'x.k8s.io' },
    { name: 'things.x.k8s.io', annotations: { 'api-approved.kubernetes.io': 'https://example.com/1' } },
  ),
  specCase(
    'protected group, path',
    { group: 'x.k8s.io' },
    { name: 'things.x.k8s.io', annotations: { 'api-approved.kubernetes.io': '/path' } },
  ),
  specCase('no scope', { scope: '' }),
  specCase('odd scope', { scope: 'cluster' }),
  specCase('wrong name', {}, { name: 'other.cases.example.com' }),
  specCase('very wrong name', {}, { name: 'Other_' }),
  specCase('no name', {}, { name: '' }),
  specCase(
    'bad labels',
    {},
    {
      name: `things.${GROUP}`,
      labels: { 'a b': 'c d' },
      annotations: { '/': '' },
      finalizers: ['x y'],
      ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }],
    },
  ),
  specCase('namespace', {}, { name: `things.${GROUP}`, namespace: 'x' }),
  specCase('preserve', { preserveUnknownFields: true }),
  specCase('preserve and defaults', {
    preserveUnknownFields: true,
    versions: [version({ schema: { openAPIV3Schema: item({ a: { type: 'string', default: 'x' } }) } })],
  }),
  specCase('preserve and webhook', {
    preserveUnknownFields: true,
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x/' } },
    },
  }),
  specCase('preserve and not structural', {
    preserveUnknownFields: true,
    versions: [version({ schema: { openAPIV3Schema: { type: 'object', properties: { a: {} } } } })],
  }),
  names('no kind', { kind: '' }),
  names('no plural', { plural: '' }),
  names('bad names', {
    plural: 'Things',
    singular: 'th ing',
    kind: 'Th_ing',
    listKind: '1List',
    shortNames: ['t', 'T', '1'],
    categories: ['all', 'ALL'],
  }),
  names('kind and listKind', { kind: 'Thing', listKind: 'Thing' }),
  names('long', { singular: 'x'.repeat(64), shortNames: ['x'.repeat(64)] }),
  versions('no versions'),
  versions('no storage', version({ storage: false })),
  versions('two storages', version(), version({ name: 'v2' })),
  versions('same name', version(), version({ storage: false })),
  versions('bad version name', version({ name: 'V1.0' })),
  versions('no version name', version({ name: '' })),
  versions('second version name', version(), version({ name: '2', storage: false })),
  versions('not served', version({ served: false })),
  versions('no schema', version({ schema: undefined })),
  versions('empty schema', version({ schema: {} })),
  versions('one without schema', version(), version({ name: 'v2', storage: false, schema: undefined })),
  versions(
    'two different schemas, both wrong',
    version({ schema: { openAPIV3Schema: { type: 'array' } } }),
    version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'string' } } }),
  ),
  versions(
    'two equal schemas, wrong',
    version({ schema: { openAPIV3Schema: { type: 'string' } } }),
    version({ name: 'v2', storage: false, schema: { openAPIV3Schema: { type: 'string' } } }),
  ),
  versions(
    'two storages with much in them',
    version({
      subresources: { status: {}, scale: { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b' } },
      additionalPrinterColumns: [{ name: 'A', type: 'date', jsonPath: '.a', priority: 1 }],
    }),
    version({
      name: 'v2',
      schema: {
        openAPIV3Schema: item(
          { a: { type: 'string', enum: ['a', { z: 1, b: 2 }], default: 'a', maxLength: 3 } },
          { description: '<d>', externalDocs: { url: 'u' } },
        ),
      },
      deprecated: true,
      deprecationWarning: 'w',
      selectableFields: [{ jsonPath: '.a' }],
    }),
  ),
  versions(
    'deprecation',
    version({ deprecationWarning: 'x' }),
    version({ name: 'v2', storage: false, deprecated: true, deprecationWarning: '' }),
    version({ name: 'v3', storage: false, deprecated: true, deprecationWarning: `${'x'.repeat(257)}\n\u0001` }),
    version({ name: 'v4', storage: false, deprecated: true, deprecationWarning: 'fine ä' }),
  ),

  conversion('odd strategy', { strategy: 'Magic' }),
  conversion('no strategy', { strategy: '' }),
  conversion('none with webhook', {
    strategy: 'None',
    webhook: { clientConfig: { url: 'https://x/' }, conversionReviewVersions: ['v1'] },
  }),
  conversion('webhook without webhook', { strategy: 'Webhook' }),
  webhook('empty client', {}),
  webhook('both', { url: 'https://x/', service: { namespace: 'a', name: 'b' } }),
  webhook('http', { url: 'http://x/' }),
  webhook('no host', { url: 'https:///path' }),
  webhook('everything', { url: 'https://u:p@h/p?q=1#f' }),
  webhook('fine', { url: 'https://h:8443/p' }),
  webhook('service without names', { service: { namespace: '', name: '' } }),
  webhook('service without namespace', { service: { namespace: '', name: 'x' } }),
  webhook('service with port', { service: { namespace: 'a', name: 'b', port: 70_000 } }),
  webhook('service with path', { service: { namespace: 'a', name: 'b', path: 'x//Y/' } }),
  webhook('service with slashes', { service: { namespace: 'a', name: 'b', path: '//' } }),
  webhook('service with good path', { service: { namespace: 'a', name: 'b', path: '/x/y.z/' } }),
  webhook('ca bundle', { url: 'https://h/', caBundle: 'eA==' }),
  webhook('no review versions', { url: 'https://h/' }, []),
  webhook('unknown review versions', { url: 'https://h/' }, ['v2', 'V3', 'v2']),

  column('empty', { name: '', type: '', jsonPath: '' }),
  column('odd', { name: 'A', type: 'text', format: 'poem', jsonPath: 'spec' }),
  column('dot', { name: 'A', type: 'string', format: 'date-time', jsonPath: '.' }),
  versions(
    'columns differ',
    version({ additionalPrinterColumns: [{ name: '', type: 'x', jsonPath: '.a' }] }),
    version({ name: 'v2', storage: false }),
  ),
  scale('empty', { specReplicasPath: '', statusReplicasPath: '' }),
  scale('elsewhere', {
    specReplicasPath: '.status.a',
    statusReplicasPath: '.spec.b',
    labelSelectorPath: '.metadata.c',
  }),
  scale('no dot', { specReplicasPath: 'spec.a', statusReplicasPath: 'x', labelSelectorPath: 'y' }),
  scale('fine', { specReplicasPath: '.spec.a', statusReplicasPath: '.status.b', labelSelectorPath: '.status.c' }),
  versions(
    'subresources differ',
    version({ subresources: { scale: { specReplicasPath: '', statusReplicasPath: '.status.a' } } }),
    version({ name: 'v2', storage: false }),
  ),

  selectable('fine', '.spec.f0', '.spec.b', '.spec.i', '.spec.o.p'),
  selectable(
    'odd',
    '',
    'spec.f0',
    '.spec.nothing',
    '.spec.n',
    '.spec.o',
    '.spec.l',
    '.spec.f0',
    '.spec.f0',
    '.metadata.name',
    ".spec['f0']",
    '.',
    '.spec.',
    '.spec.m.x',
    '.spec.a.b',
    '.spec.f0.x',
  ),
  selectable('many', ...Array.from({ length: 9 }, (_, index) => `.spec.f${index}`)),
  versions(
    'selectable, schemas differ',
    version({ selectableFields: [{ jsonPath: '.a' }], schema: { openAPIV3Schema: item({ a: { type: 'string' } }) } }),
    version({
      name: 'v2',
      storage: false,
      selectableFields: [{ jsonPath: '.a' }],
      schema: { openAPIV3Schema: item({ a: { type: 'string' }, b: { type: 'string' } }) },
    }),
  ),
  versions(
    'selectable differ, schemas equal',
    version({ selectableFields: [{ jsonPath: '.a' }], schema: { openAPIV3Schema: item({ a: { type: 'string' } }) } }),
    version({ name: 'v2', storage: false, schema: { openAPIV3Schema: item({ a: { type: 'string' } }) } }),
  ),
  versions(
    'selectable and schemas differ',
    version({ selectableFields: [{ jsonPath: '.b' }], schema: { openAPIV3Schema: item({ a: { type: 'string' } }) } }),
    version({
      name: 'v2',
      storage: false,
      selectableFields: [{ jsonPath: '.b' }, { jsonPath: '.a' }],
      schema: { openAPIV3Schema: item({ a: { type: 'string' }, b: { type: 'string' } }) },
    }),
  ),

  schema('root without type', {}),
  schema('root of another type', { type: 'array', items: { type: 'string' } }),
  schema('nullable root', { type: 'object', nullable: true }),
  schema('root with additionalProperties', { type: 'object', additionalProperties: { type: 'string' } }),
  schema('root preserving', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
  schema('root with default', { type: 'object', default: {}, properties: { a: { type: 'string', default: 'x' } } }),
  schema('$schema', { type: 'object', $schema: 'http://json-schema.org/' }),
  schema(
    'type fields',
    item({ apiVersion: { type: 'integer' }, kind: { type: 'object' }, metadata: { type: 'string' } }),
  ),
  schema(
    'metadata restricted',
    item({ metadata: item({ name: { type: 'string', maxLength: 5 }, generateName: { type: 'string' } }) }),
  ),
  schema(
    'metadata restricted too much',
    item({
      metadata: item({
        name: { type: 'string' },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      }),
    }),
  ),
  schema('metadata described', item({ metadata: { type: 'object', description: 'x' } })),
  schema(
    'metadata with default',
    item({
      metadata: { type: 'object', default: {}, properties: { name: { type: 'string', default: 'x' } } },
      kind: { type: 'string', default: 'K' },
    }),
  ),
  schema('metadata in a branch', {
    ...item({ metadata: { type: 'object' } }),
    allOf: [{ properties: { metadata: { required: ['x'] } } }],
  }),
  versions(
    'status, root conditions',
    version({
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'object', maxProperties: 5, properties: { status: { type: 'object' } } } },
    }),
  ),
  versions(
    'status, root branches',
    version({
      subresources: { status: {} },
      schema: { openAPIV3Schema: { ...item({ a: { type: 'string', enum: ['x'] } }), anyOf: [{ required: ['a'] }] } },
    }),
  ),
  versions(
    'status, root type',
    version({
      subresources: { status: {} },
      schema: { openAPIV3Schema: { type: 'array', items: { type: 'string' } } },
    }),
  ),
  versions(
    'status, allowed',
    version({
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: {
          type: 'object',
          description: 'd',
          required: ['spec'],
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { spec: OBJECT },
        },
      },
    }),
  ),

  field('no type', {}),
  field('odd type', { type: 'text' }),
  field('null type', { type: 'null' }),
  field('array without items', { type: 'array' }),
  field('items of no type', { type: 'array', items: {} }),
  field('items as a list', { type: 'array', items: [{ type: 'string' }, {}] }),
  field('forbidden keywords', {
    type: 'object',
    id: 'x',
    $ref: '#/x',
    patternProperties: { a: { type: 'string' } },
    definitions: { d: {} },
    dependencies: { a: ['b'] },
    additionalItems: true,
  }),
  field('uniqueItems', { type: 'array', items: { type: 'string' }, uniqueItems: true }),
  field('additional and properties', {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: { type: 'string' },
  }),
  field('additional true and properties', {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: true,
  }),
  field('additional false', { type: 'object', additionalProperties: false }),
  field('additional without type', { type: 'object', additionalProperties: {} }),
  field('bad pattern', { type: 'string', pattern: '(' }),
  field('pattern of another language', { type: 'string', pattern: '(?=a)\\1' }),
  field('format', { type: 'string', format: 'poem' }),
  field('preserve false', { type: 'object', 'x-kubernetes-preserve-unknown-fields': false }),
  field('int or string and more', {
    'x-kubernetes-int-or-string': true,
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-embedded-resource': true,
  }),
  field('int or string with type', { type: 'string', 'x-kubernetes-int-or-string': true }),
  field('int or string pattern', {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  }),
  field('int or string pattern in allOf', {
    'x-kubernetes-int-or-string': true,
    allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, { maxLength: 5 }],
  }),
  field('int or string pattern, wrong order', {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'string' }, { type: 'integer' }],
  }),
  field('types without int or string', { type: 'object', anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  field('embedded of no type', {
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  }),
  field('embedded of wrong type', { type: 'string', 'x-kubernetes-embedded-resource': true }),
  field('embedded of nothing', { type: 'object', 'x-kubernetes-embedded-resource': true }),
  field('embedded map', {
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    additionalProperties: { type: 'string' },
  }),
  field('embedded with meta', {
    ...EMBEDDED,
    properties: { apiVersion: { type: 'integer' }, kind: {}, metadata: { type: 'array', items: { type: 'string' } } },
  }),
  field('embedded with metadata restricted', {
    ...EMBEDDED,
    properties: {
      metadata: item({
        labels: { type: 'object', additionalProperties: { type: 'string', default: 'x' } },
        name: { type: 'string' },
        x: EMBEDDED,
      }),
    },
  }),
  field('map type on string', { type: 'string', 'x-kubernetes-map-type': 'atomic' }),
  field('map type without type', { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-map-type': 'atomic' }),
  field('odd map type', { type: 'object', 'x-kubernetes-map-type': 'fluid' }),
  field('list type on string', { type: 'string', 'x-kubernetes-list-type': 'atomic' }),
  field('list type without type', { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-list-type': 'atomic' }),
  field('odd list type', { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'bag' }),
  field('set of lists', {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  }),
  field('set of atomic lists', {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'array', items: { type: 'string' } },
  }),
  field('set of objects', { type: 'array', 'x-kubernetes-list-type': 'set', items: item({ a: { type: 'string' } }) }),
  field('set of atomic objects', {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: item({ a: { type: 'string' } }, { 'x-kubernetes-map-type': 'atomic' }),
  }),
  field('set of nullable', {
    type: 'array',
    'x-kubernetes-list-type': 'set',
    items: { type: 'string', nullable: true },
  }),
  field('keys without list type', {
    type: 'array',
    items: item({ k: { type: 'string' } }),
    'x-kubernetes-list-map-keys': ['k'],
  }),
  field('keys of a set', {
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-list-map-keys': ['k'],
  }),
  field('map without keys', { type: 'array', items: item({ k: { type: 'string' } }), 'x-kubernetes-list-type': 'map' }),
  field('map without items', { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
  field('map of strings', listMap({ type: 'string' })),
  field('map of item list', listMap([item({ k: { type: 'string' } })])),
  field('map with unknown key', listMap(item({ l: { type: 'string' } }))),
  field('map with object key', listMap(item({ k: item({ a: { type: 'string' } }) }, { required: ['k'] }))),
  field('map with optional key', listMap(item({ k: { type: 'string' } }))),
  field('map with nullable key', listMap(item({ k: { type: 'string', nullable: true } }, { required: ['k'] }))),
  field('map with default key', listMap(item({ k: { type: 'string', default: 'x' } }))),
  field('map of nullable', listMap(item({ k: { type: 'string' } }, { required: ['k'], nullable: true }))),
  field(
    'map with key twice',
    listMap(item({ k: { type: 'string' } }, { required: ['k'] }), { 'x-kubernetes-list-map-keys': ['k', 'k', 'z'] }),
  ),
  field('branches that say too much', {
    type: 'object',
    properties: { a: { type: 'string' } },
    allOf: [
      {
        type: 'object',
        description: 'd',
        title: 't',
        nullable: true,
        default: {},
        additionalProperties: { type: 'string' },
      },
    ],
    anyOf: [
      {
        'x-kubernetes-preserve-unknown-fields': true,
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-int-or-string': true,
      },
    ],
    oneOf: [
      {
        'x-kubernetes-list-type': 'set',
        'x-kubernetes-list-map-keys': ['x'],
        'x-kubernetes-map-type': 'atomic',
        'x-kubernetes-validations': [{ rule: 'true' }],
      },
    ],
    not: { properties: { metadata: {}, a: { type: 'string' } } },
  }),
  field('branches about what is not there', {
    type: 'object',
    properties: { a: { type: 'string' }, l: { type: 'array', items: item({ b: { type: 'string' } }) } },
    allOf: [
      { properties: { z: { minLength: 1 } } },
      { not: { properties: { l: { items: { properties: { y: {} } } } } } },
    ],
    anyOf: [{ properties: { a: { items: { minLength: 1 } } } }, { properties: { a: { pattern: '[' } } }],
  }),
  field('branch about a map', {
    type: 'object',
    additionalProperties: { type: 'string' },
    allOf: [{ properties: { a: { minLength: 1 } } }, { additionalProperties: false }, { additionalProperties: true }],
  }),

  withDefault('fine', { type: 'string' }, 'x'),
  withDefault('null', { type: 'string' }, null),
  withDefault('wrong type', { type: 'string' }, 5),
  withDefault('too long', { type: 'string', maxLength: 1 }, 'xy'),
  withDefault('unknown field', item({ a: { type: 'string' } }), { b: 1, a: 5 }),
  withDefault('int or string', { 'x-kubernetes-int-or-string': true }, true),
  withDefault(
    'int or string, with pattern',
    { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    true,
  ),
  withDefault('embedded', EMBEDDED, { kind: 'K' }),
  withDefault('embedded, fine', EMBEDDED, { apiVersion: 'v1', kind: 'K', metadata: { name: 'x' } }),
  withDefault('embedded, bad metadata', EMBEDDED, { apiVersion: 'v1', kind: 'K', metadata: { name: 5 } }),
  withDefault('embedded, unknown metadata', EMBEDDED, { apiVersion: 'v1', kind: 'K', metadata: { foo: 5 } }),
  withDefault('inside list', { type: 'array', items: item({ a: { type: 'string', default: 5 } }) }, []),
  withDefault('duplicate items', { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }, [
    'a',
    'a',
  ]),
  withDefault('branch', { type: 'string', oneOf: [{ minLength: 5 }, { maxLength: 2 }] }, 'abc'),
  field('default in metadata of embedded', {
    ...EMBEDDED,
    properties: {
      metadata: item({
        name: { type: 'string', default: 'a/b' },
        labels: item({ a: { type: 'integer', default: 5 } }),
      }),
      kind: { type: 'string', default: 'bad_kind' },
      apiVersion: { type: 'string', default: 'v1' },
    },
  }),
  field('default in map', { type: 'object', additionalProperties: { type: 'string', default: 5 } }),

  rule('empty', { rule: ' ' }),
  rule('blank message', { message: ' ' }),
  rule('message with line break', { message: 'a\nb' }),
  rule('line break without message', { rule: 'true\n&& true' }),
  rule('line break with message', { rule: 'true\n&& true', message: 'm' }),
  rule('blank message expression', { messageExpression: ' ' }),
  rule('odd reason', { reason: 'Whatever' }),
  rule('good reason', { reason: 'FieldValueForbidden', fieldPath: '.a' }),
  rule('blank path', { fieldPath: ' ' }),
  rule('path with line break', { fieldPath: '.a\n' }),
  rule('path to nothing', { fieldPath: '.b' }),
  rule('path with brackets', { fieldPath: ".m['x.y']" }),
  rule('path with bad brackets', { fieldPath: '.m[x]' }),
  rule('path with bad escape', { fieldPath: ".m['\\q']" }),
];

/** A CRD and its replacement. */
export interface DefinitionUpdateCase {
  readonly name: string;
  readonly change: (spec: CrdSpec) => CrdSpec;
  readonly metadata?: JsonObject;
}

const eachVersion = (spec: CrdSpec, change: Readonly<Record<string, unknown>>): CrdSpec => ({
  ...spec,
  versions: (spec.versions ?? []).map((old) => ({ ...old, ...change })),
});

export const DEFINITION_UPDATE_CASES: readonly DefinitionUpdateCase[] = [
  { name: 'nothing', change: (spec) => spec },
  { name: 'scope', change: (spec) => ({ ...spec, scope: 'Namespaced' }) },
  { name: 'kind', change: (spec) => ({ ...spec, names: { ...spec.names, kind: 'Other', listKind: 'OtherList' } }) },
  {
    name: 'group and plural',
    change: (spec) => ({ ...spec, group: 'other.example.com', names: { ...spec.names, plural: 'others' } }),
  },
  { name: 'short names', change: (spec) => ({ ...spec, names: { ...spec.names, shortNames: ['ab', 'A B'] } }) },
  { name: 'stored version gone', change: (spec) => ({ ...spec, versions: [version({ name: 'v9' })] }) },
  {
    name: 'another storage version',
    change: (spec) => ({ ...spec, versions: [version({ storage: false }), version({ name: 'v2' })] }),
  },
  { name: 'schema gone', change: (spec) => eachVersion(spec, { schema: undefined }) },
  { name: 'bad schema', change: (spec) => eachVersion(spec, { schema: { openAPIV3Schema: item({ a: {} }) } }) },
  { name: 'preserve', change: (spec) => ({ ...spec, preserveUnknownFields: true }) },
  { name: 'labels', change: (spec) => spec, metadata: { labels: { 'a b': '' } } },
  {
    name: 'bad ca bundle',
    change: (spec) => ({
      ...spec,
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://x/', caBundle: 'eA==' } },
      },
    }),
  },
];
