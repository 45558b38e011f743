import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type JsonObject, type JsonValue, clone, equal, stringify } from '@hawser/json';
import { describeWithControlPlane, sharedControlPlane, uniqueGroup } from '@hawser/testenv';
import fc from 'fast-check';
import { type CompiledSchema, compileSchema } from './compiled-schema.js';
import type { CustomResourceDefinition } from './crd/custom-resource-definition.js';
import type { FieldError } from './field-error.js';
import type { JsonSchemaProps } from './json-schema-props.js';
import { isInt64 } from './number-kind.js';
import { type Answer, RealApiServer, definition, inTurns } from './testing/api-server.js';
import { type Difference, compareErrors } from './testing/compare.js';
import { FIELD_CASES, OBJECT_CASES, specSchema } from './testing/object-cases.js';
import { structuralSchemas, valuesFor, withDefaults } from './testing/schemas.js';

const SEED = 20_260_101;

describeWithControlPlane('objects, judged by this package and by a real API server', () => {
  let server: RealApiServer;
  let group: string;
  const installed: string[] = [];

  beforeAll(async () => {
    server = new RealApiServer(await sharedControlPlane('provider'));
    group = uniqueGroup('schema');
  });
  afterAll(async () => {
    for (const name of installed) await server.removeDefinition(name);
  });

  async function install(kind: string, schema: JsonSchemaProps): Promise<CustomResourceDefinition> {
    const crd = definition(group, kind, schema);
    await server.install(crd);
    const typed = crd as unknown as CustomResourceDefinition;
    installed.push((typed.metadata as { name: string }).name);
    return typed;
  }

  const objectOf = (crd: CustomResourceDefinition, spec: JsonValue, name = 'x'): JsonObject => ({
    apiVersion: `${group}/v1`,
    kind: crd.spec.names?.kind ?? '',
    metadata: { name },
    spec,
  });

  /** `undefined` if they agree. */
  async function compareCreate(
    crd: CustomResourceDefinition,
    schema: CompiledSchema,
    spec: JsonValue,
  ): Promise<Difference | undefined> {
    const object = objectOf(crd, spec);
    const strictly = await server.tryObject(crd, object, '&fieldValidation=Strict');
    const theirs = strictly.status === 400 ? await server.tryObject(crd, object) : strictly;
    const mine = clone(object);
    const { unknownFields, error } = schema.admit(mine);
    if (error !== undefined) return compareDecoding(object, error, theirs);
    const wrong = compareJudged(object, crd, schema.validate(mine), theirs) ?? compareStored(object, mine, theirs);
    return wrong ?? compareUnknown(object, unknownFields, strictly);
  }

  const compareJudged = (
    object: JsonObject,
    crd: CustomResourceDefinition,
    errors: readonly FieldError[],
    theirs: Answer,
  ): Difference | undefined =>
    compareErrors(
      stringify(object),
      { group, kind: crd.spec.names?.kind ?? '' },
      (object['metadata'] as { name: string }).name,
      errors,
      theirs,
    );

  it('agree about hand-written ones', async () => {
    expect(OBJECT_CASES.length).toBeGreaterThan(400);
    const schema: JsonSchemaProps = { type: 'object', properties: { spec: specSchema(FIELD_CASES) } };
    const crd = await install('Broad', schema);
    const compiled = compileSchema(schema);
    const differences = await inTurns(OBJECT_CASES, ({ spec }) => compareCreate(crd, compiled, spec));
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
  }, 300_000);

  it('agree about generated objects of generated schemas', async () => {
    const schemas = fc.sample(structuralSchemas(3).chain(withDefaults), { numRuns: 80, seed: SEED });
    const properties = Object.fromEntries(schemas.map((schema, index) => [`f${index}`, schema]));
    const schema: JsonSchemaProps = { type: 'object', properties: { spec: { type: 'object', properties } } };
    const crd = await install('Generated', schema);
    const compiled = compileSchema(schema);
    const specs = Object.entries(properties).flatMap(([name, property], index) =>
      balanced(property, SEED + index).map((value): JsonObject => ({ [name]: value })),
    );
    const differences = await inTurns(specs, (spec) => compareCreate(crd, compiled, spec));
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
    const accepted = specs.filter((spec) => compiled.validate(objectOf(crd, spec)).length === 0).length;
    expect([accepted > 80, specs.length - accepted > 80]).toEqual([true, true]);
  }, 300_000);

  describe('that replace others', () => {
    it('agree about what is forgiven', async () => {
      const schemas = fc.sample(structuralSchemas(3), { numRuns: 40, seed: SEED + 1 });
      const properties: Readonly<Record<string, JsonSchemaProps>> = {
        ...Object.fromEntries(schemas.map((property, index) => [`f${index}`, property])),
        kind: { type: 'string', maxLength: 2 },
        listMap: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: {
              k: { type: 'string' },
              v: { type: 'string', maxLength: 2 },
              w: { type: 'integer', maximum: 5 },
            },
          },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string', maxLength: 2 } },
        branches: {
          type: 'object',
          properties: { a: { type: 'string' }, b: { type: 'string' } },
          oneOf: [{ required: ['a'], properties: { a: { maxLength: 2 } } }, { required: ['b'] }],
        },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { a: { type: 'string', maxLength: 2 } },
        },
      };
      const strict: JsonSchemaProps = {
        type: 'object',
        required: ['probe'],
        properties: {
          probe: { type: 'string' },
          apiVersion: { type: 'string', maxLength: 2 },
          spec: { type: 'object', properties },
        },
      };
      const crd = await install('Ratcheted', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
      const values = fc.record(
        Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, valuesFor(property)])),
        { requiredKeys: [] },
      );
      const olds = fc.sample(values, { numRuns: 30, seed: SEED + 2 });
      const stored = await inTurns(olds, (spec, index) =>
        server.createObject(crd, objectOf(crd, spec, `old-${index}`)),
      );
      await server.changeSchema((crd.metadata as { name: string }).name, strict, objectOf(crd, {}, 'probe'));
      const compiled = compileSchema(strict);
      const changes = stored.flatMap((old, index) =>
        fc
          .sample(changed(old['spec'] as JsonObject, values), { numRuns: 6, seed: SEED + index })
          .map((spec) => ({ old, spec })),
      );
      const differences = await inTurns(changes, async ({ old, spec }) => {
        const object: JsonObject = { ...old, spec };
        const theirs = await server.tryUpdate(crd, object);
        const mine = clone(object);
        const before = clone(old);
        compiled.admit(before, { dropInvalid: true });
        const { error } = compiled.admit(mine);
        if (error !== undefined) return compareDecoding(object, error, theirs);
        return compareJudged(object, crd, compiled.validate(mine, before), theirs);
      });
      expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
    }, 300_000);
  });
});

/** As many values that a schema accepts as it refuses, if there are so many. */
function balanced(schema: JsonSchemaProps, seed: number): readonly JsonValue[] {
  const compiled = compileSchema({ type: 'object', properties: { x: schema } });
  const values = fc.sample(valuesFor(schema), { numRuns: 60, seed });
  const fits = (value: JsonValue): boolean => compiled.validate({ x: value }).length === 0;
  return [...values.filter(fits).slice(0, 3), ...values.filter((value) => !fits(value)).slice(0, 3)];
}

/** Some fields as they were, some as in another object, some gone. */
function changed(spec: JsonObject, others: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return others.chain((other) => {
    const keys = [...new Set([...Object.keys(spec), ...Object.keys(other)])];
    return fc
      .array(fc.constantFrom<'old' | 'new' | 'gone' | 'mixed'>('old', 'old', 'old', 'new', 'gone', 'mixed'), {
        minLength: keys.length,
        maxLength: keys.length,
      })
      .map((choices) =>
        Object.fromEntries(
          keys.flatMap((key, index): [string, JsonValue][] => {
            const [was, is] = [spec[key], other[key]];
            const value =
              choices[index] === 'mixed'
                ? mixed(was, is)
                : choices[index] === 'old'
                  ? was
                  : choices[index] === 'new'
                    ? is
                    : undefined;
            return value === undefined ? [] : [[key, value]];
          }),
        ),
      );
  });
}

function mixed(old: JsonValue | undefined, other: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(old) && Array.isArray(other)) return [...(old as JsonValue[]), ...(other as JsonValue[])].reverse();
  if (isRecord(old) && isRecord(other)) return { ...other, ...old };
  return old;
}

const isRecord = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Before the schema is looked at, the API server says it in another way. */
function compareDecoding(object: JsonObject, error: FieldError, theirs: Answer): Difference | undefined {
  return theirs.status >= 400 && theirs.message.includes(error.detail)
    ? undefined
    : { what: stringify(object), ours: error, theirs: [theirs.status, theirs.message] };
}

function compareStored(object: JsonObject, mine: JsonObject, theirs: Answer): Difference | undefined {
  if (theirs.object === undefined) return undefined;
  return equal(asGo(mine['spec'] ?? null), theirs.object['spec'])
    ? undefined
    : { what: stringify(object), ours: mine['spec'], theirs: theirs.object['spec'] };
}

/** Go reads a whole number that is too long for `int64` as a float. */
function asGo(value: JsonValue): JsonValue {
  if (typeof value === 'bigint') return isInt64(value) ? value : Number(value);
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(asGo);
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, asGo(field ?? null)]))
    : value;
}

function compareUnknown(
  object: JsonObject,
  unknownFields: readonly string[],
  strictly: Answer,
): Difference | undefined {
  const expected = unknownFields.map((path) => `unknown field "${path}"`);
  const theirs =
    strictly.status === 400
      ? strictly.message
          .replace(/^.*?strict decoding error: /, '')
          .split(', ')
          .sort()
      : [];
  return equal([...expected].sort(), theirs)
    ? undefined
    : { what: stringify(object), ours: expected, theirs: strictly.message };
}
