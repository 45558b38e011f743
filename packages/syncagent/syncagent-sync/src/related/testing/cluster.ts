import type { ObjectKey, Resource, UnstructuredObject } from '@hawser/client';
import type { RelatedReaders } from '../primary-pair.js';

export type Labels = Readonly<Record<string, string>>;

export interface TestObject {
  readonly resource?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Labels;
  readonly fields?: Readonly<Record<string, unknown>>;
}

const kinds: Readonly<Record<string, string>> = {
  secrets: 'Secret',
  configmaps: 'ConfigMap',
  namespaces: 'Namespace',
  widgets: 'Widget',
};

/** Objects to read from: selectors are understood as far as they are lists of `key=value`, keys, and `key in (…)`. */
export class TestCluster implements RelatedReaders {
  /** What was asked for: `get secrets ns/name`, `list secrets ns labels`. */
  readonly asked: string[] = [];
  readonly #objects: readonly { readonly resource: string; readonly object: UnstructuredObject }[];

  constructor(...objects: readonly TestObject[]) {
    this.#objects = objects.map(({ resource = 'secrets', namespace, name, labels, fields }) => ({
      resource,
      object: {
        apiVersion: 'v1',
        kind: kinds[resource] ?? 'Thing',
        metadata: {
          name,
          ...(namespace === undefined ? {} : { namespace }),
          ...(labels === undefined ? {} : { labels }),
        },
        ...fields,
      },
    }));
  }

  get({ resource }: Resource, { namespace, name }: ObjectKey): Promise<UnstructuredObject | undefined> {
    this.asked.push(`get ${resource} ${namespace ?? ''}/${name}`);
    const found = this.#objects.find(
      ({ resource: own, object: { metadata } }) =>
        own === resource &&
        metadata.name === name &&
        (metadata.namespace === undefined || metadata.namespace === namespace),
    );
    return Promise.resolve(found?.object);
  }

  list(
    { resource }: Resource,
    {
      namespace,
      labelSelector,
    }: { readonly namespace?: string | undefined; readonly labelSelector?: string | undefined },
  ): Promise<readonly UnstructuredObject[]> {
    this.asked.push(`list ${resource} ${namespace ?? '*'} ${labelSelector ?? 'everything'}`);
    const matches = matcher(labelSelector);
    return Promise.resolve(
      this.#objects
        .filter(
          ({ resource: own, object: { metadata } }) =>
            own === resource &&
            (namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace) &&
            matches(metadata.labels ?? {}),
        )
        .map(({ object }) => object),
    );
  }
}

function matcher(selector: string | undefined): (labels: Labels) => boolean {
  const terms = selector === undefined ? [] : selector.split(/,(?![^(]*\))/u);
  return (labels) =>
    terms.every((term) => {
      const [, key = '', values = ''] = /^(\S+) in \((.*)\)$/u.exec(term) ?? [];
      if (key !== '') return values.split(',').includes(labels[key] ?? '');
      const equals = term.indexOf('=');
      return equals < 0 ? labels[term] !== undefined : labels[term.slice(0, equals)] === term.slice(equals + 1);
    });
}
