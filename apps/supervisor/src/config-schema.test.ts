import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { configJsonSchema, configSchema } from '@hawser/config';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
}

const schema = JSON.parse(configJsonSchema()) as Schema;

/** Every field of a JSON schema; elements of a list are `0`. */
function fieldsOf({ properties = {}, items }: Schema, path: readonly string[] = []): readonly string[] {
  const below = items === undefined ? [] : fieldsOf(items, [...path, '0']);
  return [
    ...below,
    ...Object.entries(properties).flatMap(([name, one]) => [
      [...path, name].join('.'),
      ...fieldsOf(one, [...path, name]),
    ]),
  ];
}

/** Every field that the reader takes. */
function takenBy(given: unknown, path: readonly string[] = []): readonly string[] {
  const { shape, element, def } = given as {
    readonly shape?: Readonly<Record<string, unknown>>;
    readonly element?: unknown;
    readonly def: { readonly innerType?: unknown };
  };
  if (def.innerType !== undefined) return takenBy(def.innerType, path);
  if (element !== undefined) return takenBy(element, [...path, '0']);
  return Object.entries(shape ?? {}).flatMap(([name, one]) => [
    [...path, name].join('.'),
    ...takenBy(one, [...path, name]),
  ]);
}

/** A config file that says `value` at a path. */
function inputWith(path: readonly string[], value: unknown): unknown {
  return path.reduceRight<unknown>((below, step) => (step === '0' ? [below] : { [step]: below }), value);
}

const isUnknown = (path: readonly string[]): boolean =>
  configSchema.safeParse(inputWith(path, null)).error?.issues.some(({ code }) => code === 'unrecognized_keys') === true;

describe('the JSON schema of a config file', () => {
  it('has every field that the reader takes, and no other', () => {
    expect(fieldsOf(schema).toSorted()).toEqual(takenBy(configSchema).toSorted());
    expect(fieldsOf(schema).length).toBeGreaterThan(80);
  });

  it.each(fieldsOf(schema).map((path) => [path]))(
    '%s is taken, and one that is named a little otherwise is not',
    (path) => {
      const steps = path.split('.');
      expect(isUnknown(steps)).toBe(false);
      if (steps.at(-1) !== '0') expect(isUnknown([...steps.slice(0, -1), `${steps.at(-1) ?? ''}x`])).toBe(true);
    },
  );

  it('says what most fields are for', () => {
    expect(configJsonSchema().match(/"description"/gu)?.length).toBeGreaterThan(60);
    expect(configJsonSchema()).toContain('must never change');
  });

  it('is the one that editors are given; `npm run config-schema` writes it', () => {
    expect(readFileSync(join(import.meta.dirname, '../config.schema.json'), 'utf8')).toBe(`${configJsonSchema()}\n`);
  });
});
