import { type JsonObject, type JsonValue, stringify } from '@hawser/json';
import type { FieldError, JsonSchemaProps } from '@hawser/schema';
import { formatG } from '../values/number-text.js';
import { type RawResponse, type SharedControlPlane, eventually } from '@hawser/testenv';

/** One problem, as in a `Status`. */
export interface Cause {
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly Cause[] };
}

const labels: Readonly<Record<FieldError['type'], string>> = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
};

/** Go's `encoding/json` escapes HTML characters, except in a plain string value, which `%q` prints. */
const valueText = (value: JsonValue): string => {
  if (typeof value === 'object') {
    return JSON.stringify(value).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
  }
  return typeof value === 'string'
    ? JSON.stringify(value)
    : typeof value === 'number' && !Number.isInteger(value)
      ? formatG(value)
      : String(value);
};

/** A field error as a cause in an API server's answer. */
export const causeOf = ({ type, path, value, shown, detail }: FieldError): Cause => ({
  reason: type,
  field: path === '' ? '<nil>' : path,
  message: [
    labels[type],
    ...(value === undefined ? [] : [shown ?? valueText(value)]),
    ...(detail === '' ? [] : [detail]),
  ].join(': '),
});

/** Removes the numbers in names of object types, which change with every compilation. */
const withoutTypeNumbers = (message: string): string => message.replace(/selfType\d*/g, 'selfType');

const sorted = (causes: readonly Cause[]): Cause[] =>
  causes
    .map((cause) => ({ ...cause, message: withoutTypeNumbers(cause.message) }))
    .sort((a, b) =>
      a.field === b.field
        ? Number(a.message > b.message) - Number(a.message < b.message)
        : Number(a.field > b.field) - Number(a.field < b.field),
    );

export const causesOf = (errors: readonly FieldError[]): Cause[] => sorted(errors.map(causeOf));

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const withoutRules = (schema: JsonSchemaProps): JsonSchemaProps =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === 'x-kubernetes-validations' ? undefined : value)),
  ) as JsonSchemaProps;

/** A custom resource of one schema on a real API server. */
export class RealServer {
  constructor(
    private readonly cluster: SharedControlPlane,
    private readonly group: string,
  ) {}

  /** Why the API server refuses a CRD with this schema. Nothing is stored. */
  async refusals(schema: JsonSchemaProps): Promise<Cause[]> {
    return this.#refusals(
      await this.cluster.request({ method: 'POST', path: `${definitions}?dryRun=All`, body: this.#definition(schema) }),
    );
  }

  /**
   * Serves a schema.
   *
   * @param stored - objects by name, stored before there are any rules
   */
  async define(schema: JsonSchemaProps, stored: Readonly<Record<string, JsonValue>> = {}): Promise<void> {
    const probe = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == 0' }] } as const;
    const complete = { ...schema, properties: { ...schema.properties, probe } };
    await this.#store(Object.keys(stored).length === 0 ? complete : withoutRules(complete));
    await eventually(async () => (await this.#create('probe', { probe: 0 })).status < 300);
    for (const [name, spec] of Object.entries(stored)) {
      const answer = await this.cluster.request({
        method: 'POST',
        path: this.#path,
        body: stringify(this.#object(name, { spec })),
      });
      if (answer.status >= 300) {
        throw new Error(answer.text);
      }
    }
    if (Object.keys(stored).length > 0) {
      await this.#replaceDefinition(complete);
    }
    await eventually(async () => (await this.#create('probe', { probe: 1 })).status >= 300);
  }

  async remove(): Promise<void> {
    await this.cluster.request({ method: 'DELETE', path: `${definitions}/samples.${this.group}` });
  }

  /** Why the API server refuses to create an object. Nothing is stored. */
  async createRefusals(spec: JsonValue): Promise<Cause[]> {
    return this.#refusals(await this.#create('sample', { spec }));
  }

  /** Why the API server refuses a new `spec` for a stored object. Nothing is changed. */
  async updateRefusals(name: string, spec: JsonValue): Promise<Cause[]> {
    const path = `${this.#path}/${name}`;
    const { text } = await this.cluster.request({ method: 'GET', path });
    const { metadata } = JSON.parse(text) as { readonly metadata: JsonObject };
    return this.#refusals(
      await this.cluster.request({
        method: 'PUT',
        path: `${path}?dryRun=All`,
        body: stringify({ ...this.#object(name, { spec }), metadata }),
      }),
    );
  }

  get #path(): string {
    return `/apis/${this.group}/v1/samples`;
  }

  #object(name: string, fields: JsonObject): JsonObject {
    return { apiVersion: `${this.group}/v1`, kind: 'Sample', metadata: { name }, ...fields };
  }

  #create(name: string, fields: JsonObject): Promise<RawResponse> {
    return this.cluster.request({
      method: 'POST',
      path: `${this.#path}?dryRun=All`,
      body: stringify(this.#object(name, fields)),
    });
  }

  #definition(schema: JsonSchemaProps, metadata: object = {}): string {
    return JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `samples.${this.group}`, ...metadata },
      spec: {
        group: this.group,
        scope: 'Cluster',
        names: { plural: 'samples', singular: 'sample', kind: 'Sample', listKind: 'SampleList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    });
  }

  async #store(schema: JsonSchemaProps): Promise<void> {
    const answer = await this.cluster.request({ method: 'POST', path: definitions, body: this.#definition(schema) });
    if (answer.status >= 300) {
      throw new Error(JSON.stringify(causesIn(answer.text), undefined, 2));
    }
  }

  async #replaceDefinition(schema: JsonSchemaProps): Promise<void> {
    const path = `${definitions}/samples.${this.group}`;
    const patch = {
      spec: { versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }] },
    };
    const answer = await this.cluster.request({
      method: 'PATCH',
      path,
      contentType: 'application/merge-patch+json',
      body: JSON.stringify(patch),
    });
    if (answer.status >= 300) {
      throw new Error(JSON.stringify(causesIn(answer.text), undefined, 2));
    }
  }

  #refusals(answer: RawResponse): Cause[] {
    return answer.status < 300 ? [] : causesIn(answer.text);
  }
}

const causesIn = (text: string): Cause[] => {
  const status = JSON.parse(text) as Status;
  return sorted(
    (status.details?.causes ?? [{ reason: '', field: '', message: status.message ?? text }]).map(
      ({ reason, field, message }) => ({ reason, field, message }),
    ),
  );
};
