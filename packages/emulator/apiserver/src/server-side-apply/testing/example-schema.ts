import type { JsonSchemaProps } from '@hawser/schema';

const text: JsonSchemaProps = { type: 'string' };

/** A schema with every granularity of field ownership. */
export const exampleSchema: JsonSchemaProps = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        title: text,
        nested: {
          type: 'object',
          properties: { a: text, b: { type: 'integer' }, deep: { type: 'object', properties: { x: text, y: text } } },
        },
        granularMap: { type: 'object', additionalProperties: text },
        atomicMap: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        atomicObject: { type: 'object', properties: { p: text, q: text }, 'x-kubernetes-map-type': 'atomic' },
        set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        atomicList: { type: 'array', items: { type: 'object', properties: { name: text } } },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['port', 'protocol'],
          items: {
            type: 'object',
            required: ['port'],
            properties: {
              port: { type: 'integer' },
              protocol: { type: 'string', default: 'TCP' },
              name: text,
              targets: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
            },
          },
        },
        named: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: text, labels: { type: 'object', additionalProperties: text }, value: text },
          },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        halfFree: { type: 'object', properties: { known: text }, 'x-kubernetes-preserve-unknown-fields': true },
        anyValue: { 'x-kubernetes-int-or-string': true },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        mapOfSets: {
          type: 'object',
          additionalProperties: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        },
        mapOfObjects: { type: 'object', additionalProperties: { type: 'object', properties: { v: text, w: text } } },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: text,
        conditions: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
          items: { type: 'object', required: ['type'], properties: { type: text, status: text } },
        },
      },
    },
  },
};
