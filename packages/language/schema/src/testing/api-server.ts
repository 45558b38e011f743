import { type JsonObject, type JsonValue, parse, stringify } from '@hawser/json';
import { type SharedControlPlane, eventually } from '@hawser/testenv';
import type { CustomResourceDefinition } from '../crd/custom-resource-definition.js';
import type { JsonSchemaProps } from '../json-schema-props.js';
import type { StatusCause } from '../status-message.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A real API server's answer about an object. */
export interface Answer {
  readonly status: number;
  /** The object as stored; `undefined` if refused. */
  readonly object: JsonObject | undefined;
  readonly causes: readonly StatusCause[];
  readonly message: string;
}

/** Asks a real API server and leaves nothing but the test's definitions. */
export class RealApiServer {
  readonly #cluster: SharedControlPlane;

  constructor(cluster: SharedControlPlane) {
    this.#cluster = cluster;
  }

  tryDefinition(crd: JsonObject): Promise<Answer> {
    return this.#send('POST', `${DEFINITIONS}?dryRun=All`, crd);
  }

  tryDefinitionUpdate(crd: JsonObject): Promise<Answer> {
    return this.#send('PUT', `${DEFINITIONS}/${nameOf(crd)}?dryRun=All`, crd);
  }

  /** Creates a definition and waits until it is served. */
  async install(crd: JsonObject): Promise<JsonObject> {
    const { object } = await this.#must('POST', DEFINITIONS, crd);
    const { spec } = crd as unknown as CustomResourceDefinition;
    await eventually(
      async () => (await this.#send('GET', `/apis/${spec.group ?? ''}/v1/${spec.names?.plural ?? ''}`)).status === 200,
    );
    return object ?? {};
  }

  /** Replaces a definition's schema, and waits until it applies to objects, as `refused` shows. */
  async changeSchema(name: string, schema: JsonSchemaProps, refused: JsonObject): Promise<void> {
    const { object } = await this.#must('GET', `${DEFINITIONS}/${name}`);
    const crd = object as unknown as CustomResourceDefinition;
    await this.#must('PUT', `${DEFINITIONS}/${name}`, {
      ...object,
      spec: {
        ...crd.spec,
        versions: crd.spec.versions?.map((version) => ({ ...version, schema: { openAPIV3Schema: schema } })),
      },
    } as unknown as JsonObject);
    await eventually(async () => (await this.tryObject(crd, refused)).status === 422);
  }

  async readDefinition(name: string): Promise<JsonObject> {
    return (await this.#must('GET', `${DEFINITIONS}/${name}`)).object ?? {};
  }

  async removeDefinition(name: string): Promise<void> {
    await this.#send('DELETE', `${DEFINITIONS}/${name}`);
  }

  tryObject(crd: CustomResourceDefinition, object: JsonObject, query = ''): Promise<Answer> {
    return this.#send('POST', `${pathOf(crd)}?dryRun=All${query}`, object);
  }

  async createObject(crd: CustomResourceDefinition, object: JsonObject): Promise<JsonObject> {
    return (await this.#must('POST', pathOf(crd), object)).object ?? {};
  }

  tryUpdate(crd: CustomResourceDefinition, object: JsonObject): Promise<Answer> {
    return this.#send('PUT', `${pathOf(crd)}/${nameOf(object)}?dryRun=All`, object);
  }

  async #must(method: string, path: string, body?: JsonValue): Promise<Answer> {
    const answer = await this.#send(method, path, body);
    if (answer.object === undefined) throw new Error(`${method} ${path}: ${answer.status} ${answer.message}`);
    return answer;
  }

  async #send(method: string, path: string, body?: JsonValue): Promise<Answer> {
    const { status, text } = await this.#cluster.request({
      method,
      path,
      ...(body === undefined ? {} : { body: stringify(body) }),
    });
    const answer = parse(text) as JsonObject;
    if (status < 300) return { status, object: answer, causes: [], message: '' };
    const details = (answer['details'] ?? {}) as { readonly causes?: readonly StatusCause[] };
    return { status, object: undefined, causes: details.causes ?? [], message: answer['message'] as string };
  }
}

const nameOf = (object: JsonObject): string => (object['metadata'] as { readonly name: string }).name;

const pathOf = ({ spec }: CustomResourceDefinition): string =>
  `/apis/${spec.group ?? ''}/v1/${spec.names?.plural ?? ''}`;

/** A cluster-scoped definition with one version. */
export function definition(group: string, kind: string, schema: JsonSchemaProps): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema as unknown as JsonValue } },
      ],
    },
  };
}

/** In an order independent of Go's maps. */
export const sortedCauses = (causes: readonly StatusCause[]): readonly string[] =>
  causes.map(({ field, reason, message }) => `${field}: ${reason}: ${message}`).sort();

/** Several at a time: each request has its own connection. */
export async function inTurns<T, R>(
  items: readonly T[],
  run: (item: T, index: number) => Promise<R>,
  width = 4,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let index = next++; index < items.length; index = next++)
        results[index] = await run(items[index] as T, index);
    }),
  );
  return results;
}
