import { describe, expect, it } from '@jest/globals';
import type { JsonSchemaProps } from '../json-schema-props.js';
import { invalid } from '../field-errors.js';
import { formatFieldError } from '../status-message.js';
import { validateCustomResourceDefinition } from './crd-validation.js';
import {
  type CrdSpec,
  type CustomResourceDefinition,
  defaultCustomResourceDefinition,
} from './custom-resource-definition.js';
import type { RuleContext } from './schema-rules.js';

const OBJECT: JsonSchemaProps = { type: 'object' };

function crdWith(spec: Partial<CrdSpec> = {}, schema: JsonSchemaProps = OBJECT): CustomResourceDefinition {
  return {
    metadata: { name: 'things.example.com', resourceVersion: '1' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'things', kind: 'Thing' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      ...spec,
    },
  };
}

const linesFor = (crd: CustomResourceDefinition, old?: CustomResourceDefinition): string[] =>
  validateCustomResourceDefinition(crd, old).map(formatFieldError);

describe('validation of a CRD', () => {
  it('finds nothing in a good one', () => {
    expect(linesFor(crdWith())).toEqual([]);
  });

  it('says what is wrong with the schema, where the API server has it', () => {
    expect(linesFor(crdWith({}, { type: 'object', properties: { a: {}, b: { type: 'array' } } }))).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields',
      'spec.validation.openAPIV3Schema.properties[b].items: Required value: must be specified',
    ]);
    const versions = ['v1', 'v2'].map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: { type: 'object', properties: { [name]: {} } } },
    }));
    expect(linesFor(crdWith({ versions }))).toEqual([
      'spec.versions[0].schema.openAPIV3Schema.properties[v1].type: Required value: must not be empty for specified object fields',
      'spec.versions[1].schema.openAPIV3Schema.properties[v2].type: Required value: must not be empty for specified object fields',
    ]);
  });

  it('demands defaults that are valid and without unknown fields', () => {
    const schema: JsonSchemaProps = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string' } }, default: { b: 5, c: 1 } } },
    };
    expect(linesFor(crdWith({}, schema))).toEqual([
      'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: {"b":5,"c":1}: must not have unknown fields',
      'spec.validation.openAPIV3Schema.properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer"',
    ]);
  });

  it('hands every rule of a faultless schema to the callback, with what must be known of its place', () => {
    const rules = [{ rule: 'true' }];
    const schema: JsonSchemaProps = {
      type: 'object',
      'x-kubernetes-validations': rules,
      properties: {
        list: {
          type: 'array',
          maxItems: 5,
          items: {
            type: 'object',
            'x-kubernetes-validations': rules,
            properties: {
              map: { type: 'object', additionalProperties: { type: 'string', 'x-kubernetes-validations': rules } },
            },
          },
        },
        listMap: {
          type: 'array',
          maxItems: 7,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' } },
            'x-kubernetes-validations': rules,
          },
        },
      },
    };
    const contexts: RuleContext[] = [];
    const errors = validateCustomResourceDefinition(crdWith({}, schema), undefined, {
      checkRule: (context) => {
        contexts.push(context);
        return context.isResource ? [invalid(context.path, 'x', 'no')] : [];
      },
    });
    expect(errors.map(formatFieldError)).toEqual(['spec.validation.openAPIV3Schema: Invalid value: "x": no']);
    const root = 'spec.validation.openAPIV3Schema';
    expect(
      contexts.map(({ path, isResource, maxCardinality, uncorrelatable }) => [
        path.slice(root.length),
        isResource,
        maxCardinality,
        uncorrelatable?.slice(root.length),
      ]),
    ).toEqual([
      ['.properties[list].items.properties[map].additionalProperties', false, undefined, '.properties[list]'],
      ['.properties[list].items', false, 5n, '.properties[list]'],
      ['.properties[listMap].items', false, 7n, undefined],
      ['', true, 1n, undefined],
    ]);
    expect(
      validateCustomResourceDefinition(crdWith({}, { ...schema, nullable: true, properties: { a: {} } }), undefined, {
        checkRule: () => {
          throw new Error('asked');
        },
      }).length,
    ).toBeGreaterThan(0);
  });

  it('keeps what a CRD cannot change', () => {
    const old: CustomResourceDefinition = {
      ...crdWith(),
      status: { storedVersions: ['v0', 'v1'], conditions: [{ type: 'Established', status: 'True' }] },
    };
    expect(linesFor(crdWith({ scope: 'Namespaced', names: { plural: 'things', kind: 'Other' } }), old)).toEqual([
      'spec.scope: Invalid value: "Namespaced": field is immutable',
      'spec.names.kind: Invalid value: "Other": field is immutable',
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ]);
  });

  it('lets pass on an update what it has let pass before', () => {
    const faulty = crdWith(
      {},
      {
        type: 'object',
        properties: { a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } },
      },
    );
    expect(linesFor(faulty)).toHaveLength(1);
    expect(linesFor(faulty, faulty)).toEqual([]);
  });
});

describe('defaults of a CRD', () => {
  it('are derived from what is there', () => {
    const { spec } = defaultCustomResourceDefinition(
      crdWith({
        conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: { namespace: 'a', name: 'b' } } } },
      }),
    );
    expect(spec.names).toEqual({ plural: 'things', kind: 'Thing', singular: 'thing', listKind: 'ThingList' });
    expect(spec.conversion?.webhook?.clientConfig?.service?.port).toBe(443);
    expect(defaultCustomResourceDefinition(crdWith()).spec.conversion).toEqual({ strategy: 'None' });
  });
});
