import type { JsonSchemaProps } from '@hawser/schema';

/** Short forms for the schemas of kcp's kinds. */
export const string: JsonSchemaProps = { type: 'string' };
export const boolean: JsonSchemaProps = { type: 'boolean' };
export const strings: JsonSchemaProps = { type: 'array', items: string };
export const stringMap: JsonSchemaProps = { type: 'object', additionalProperties: string };

export const object = (
  properties: Readonly<Record<string, JsonSchemaProps>>,
  ...required: readonly string[]
): JsonSchemaProps => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required: [...required] }),
});

export const list = (items: JsonSchemaProps, ...keys: readonly string[]): JsonSchemaProps => ({
  type: 'array',
  items,
  ...(keys.length === 0 ? {} : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [...keys] }),
});

export const rule = (rule: string, message: string): { readonly rule: string; readonly message: string } => ({
  rule,
  message,
});

/** Conditions as kcp has them, with a severity. */
export const conditions: JsonSchemaProps = list(
  object(
    {
      type: string,
      status: string,
      severity: string,
      reason: string,
      message: string,
      lastTransitionTime: { type: 'string', format: 'date-time' },
    },
    'type',
    'status',
    'lastTransitionTime',
  ),
);

export const labelSelector: Readonly<Record<string, JsonSchemaProps>> = {
  matchLabels: stringMap,
  matchExpressions: list(object({ key: string, operator: string, values: strings }, 'key', 'operator')),
};
