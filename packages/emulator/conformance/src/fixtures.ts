import type { JsonObject } from '@hawser/json';
import type { FixtureResource } from './api.js';
import { createCalls } from './call.js';
import { boolean, definition, integer, list, object, rule, string } from './definition.js';
import { expressions } from './expressions.js';
import { builtInPath, groupPath } from './paths.js';
import { untilServed } from './served.js';
import type { ServerUnderTest } from './server.js';

/** API group of the shared kinds. Their objects live in the cases' own namespaces, or have their ids in the name. */
export const fixtureGroup = 'fixtures.conformance.test';

const scaled: JsonObject = {
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
};

const columns: JsonObject = {
  additionalPrinterColumns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.mode', description: 'How it works' },
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
};

const condition = object(
  {
    type: string,
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: string,
    message: string,
    lastTransitionTime: { type: 'string', format: 'date-time' },
  },
  { required: ['type', 'status'] },
);

const status = object({
  phase: string,
  replicas: integer,
  selector: string,
  observedGeneration: { type: 'integer', format: 'int64' },
  conditions: list(condition, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
});

const port = object(
  { port: { type: 'integer', format: 'int32' }, protocol: { type: 'string', default: 'TCP' }, name: string },
  { required: ['port', 'protocol'] },
);

/** A schema with one field for each schema feature. All are optional. */
export const widgetSpec: JsonObject = object(
  {
    mode: { type: 'string', enum: ['Fast', 'Slow'], default: 'Fast' },
    size: { type: 'integer', minimum: 0, maximum: 100 },
    replicas: { type: 'integer', format: 'int32' },
    title: { type: 'string', minLength: 2, maxLength: 10 },
    slug: { type: 'string', pattern: '^[a-z]+$' },
    ratio: { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
    step: { type: 'integer', multipleOf: 5 },
    small: { type: 'integer', format: 'int32' },
    big: { type: 'integer', format: 'int64' },
    enabled: boolean,
    tags: list({ type: 'string', maxLength: 20 }, { maxItems: 3, 'x-kubernetes-list-type': 'set' }),
    steps: list(integer, { minItems: 1, maxItems: 5 }),
    ports: list(port, {
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      maxItems: 8,
    }),
    limits: {
      type: 'object',
      additionalProperties: { type: 'integer', minimum: 1 },
      minProperties: 1,
      maxProperties: 3,
    },
    strict: object(
      { name: string, count: integer, unit: { type: 'string', default: 'kg' } },
      { required: ['name', 'count'] },
    ),
    atomic: object({ a: string, b: string }, { 'x-kubernetes-map-type': 'atomic' }),
    quantity: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    template: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    maybe: { type: 'string', nullable: true },
    fallback: { type: 'string', nullable: true, default: 'fell back' },
    nested: object({
      level: { type: 'integer', default: 3 },
      inner: object({ color: { type: 'string', default: 'red' } }, { default: {} }),
    }),
    choice: object(
      { one: string, two: string, three: string },
      { oneOf: [{ required: ['one'] }, { required: ['two'] }], not: { required: ['three'] } },
    ),
    any: object({ one: string, two: string }, { anyOf: [{ required: ['one'] }, { required: ['two'] }] }),
    all: object(
      { one: string, two: string },
      { allOf: [{ required: ['one'] }, { properties: { one: { minLength: 2 } } }] },
    ),
    email: { type: 'string', format: 'email' },
    moment: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    address: { type: 'string', format: 'ipv4' },
    uuid: { type: 'string', format: 'uuid' },
    bytes: { type: 'string', format: 'byte' },
    duration: { type: 'string', format: 'duration' },
    link: { type: 'string', format: 'uri' },
    range: object(
      { min: integer, max: integer },
      rule('self.min <= self.max', { message: 'min must not be above max' }),
    ),
    fixed: { type: 'string', maxLength: 20, ...rule('self == oldSelf', { message: 'fixed is immutable' }) },
    rising: { type: 'integer', ...rule('self >= oldSelf') },
    spoken: {
      type: 'string',
      maxLength: 20,
      ...rule("self != 'bad'", { messageExpression: "'not ' + self + ', please'" }),
    },
    reasoned: object(
      { a: string, b: string },
      {
        'x-kubernetes-validations': [
          { rule: '!has(self.a) || !has(self.b)', message: 'not both', reason: 'FieldValueForbidden', fieldPath: '.b' },
          { rule: 'has(self.a) || has(self.b)', message: 'one of them', reason: 'FieldValueRequired', fieldPath: '.a' },
        ],
      },
    ),
    words: list(
      { type: 'string', maxLength: 10, ...rule("self.startsWith('w')", { message: 'must start with w' }) },
      { maxItems: 5 },
    ),
    once: {
      type: 'string',
      maxLength: 10,
      'x-kubernetes-validations': [
        {
          rule: "!oldSelf.hasValue() || oldSelf.value() == self || self == 'reset'",
          message: 'only once',
          optionalOldSelf: true,
        },
      ],
    },
  },
  rule('!has(self.title) || !has(self.slug) || self.title != self.slug', { message: 'title and slug must differ' }),
);

const anything: JsonObject = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const definitions: Readonly<Record<FixtureResource, JsonObject>> = {
  widgets: definition({
    group: fixtureGroup,
    plural: 'widgets',
    kind: 'Widget',
    names: { shortNames: ['wd'], categories: ['all', 'toys'] },
    versions: [
      {
        spec: widgetSpec,
        status,
        more: { ...scaled, ...columns, selectableFields: [{ jsonPath: '.spec.mode' }, { jsonPath: '.spec.size' }] },
      },
    ],
  }),
  gadgets: definition({
    group: fixtureGroup,
    plural: 'gadgets',
    kind: 'Gadget',
    scope: 'Cluster',
    versions: [{ spec: object({ size: integer, color: string }) }],
  }),
  gears: definition({
    group: fixtureGroup,
    plural: 'gears',
    kind: 'Gear',
    versions: [
      {
        name: 'v1',
        spec: object({ teeth: { type: 'integer', default: 8 }, color: string }),
        more: { subresources: { status: {} } },
      },
      {
        name: 'v1beta1',
        spec: object({ teeth: integer, legacy: string }),
        more: {
          deprecated: true,
          additionalPrinterColumns: [{ name: 'Teeth', type: 'integer', jsonPath: '.spec.teeth' }],
        },
      },
      { name: 'v1alpha1', spec: object({ teeth: integer }), served: false },
    ],
  }),
  ruled: definition({
    group: fixtureGroup,
    plural: 'ruled',
    kind: 'Ruled',
    versions: [
      {
        spec: object(
          Object.fromEntries(
            expressions.map(({ field, rule: text, properties }) => [field, object(properties, rule(text))]),
          ),
        ),
      },
    ],
  }),
  loose: definition({
    group: fixtureGroup,
    plural: 'loose',
    kind: 'Loose',
    versions: [{ schema: { ...anything, properties: { spec: anything } } }],
  }),
};

const clusterScoped: readonly FixtureResource[] = ['gadgets'];

/** Path of a shared kind: in `namespace`, unless it is cluster-scoped; of version v1. */
export function fixturePath(resource: FixtureResource, namespace: string, ...rest: readonly string[]): string {
  return groupPath(
    fixtureGroup,
    'v1',
    ...(clusterScoped.includes(resource) ? [] : ['namespaces', namespace]),
    resource,
    ...rest,
  );
}

/** Creates the shared kinds; resolves once they are served. */
export async function installFixtures(server: ServerUnderTest): Promise<void> {
  const calls = createCalls(server, () => undefined);
  await Promise.all(
    Object.values(definitions).map(async (one) => {
      const created = await calls.create(builtInPath('customresourcedefinitions', ''), one);
      if (created.status !== 201) throw new Error(`cannot create a fixture: ${JSON.stringify(created.body)}`);
      await untilServed(calls, created);
    }),
  );
}
