import { isRecord } from '@hawser/crd';
import { DiscoveryError } from '../discovery-error.js';
import { knownDefaults, knownSchemas } from './known-schemas.js';
import { type Models, type OpenAPINode, referenceOf } from './models.js';

/**
 * Converts a definition to a CRD schema (spec/api-syncagent.md §8.1), byte for byte like the Go agent, so the
 * APIResourceSchema gets the same name.
 * @throws {DiscoveryError} `Unusable`: the definition contains itself, or refers to a missing one.
 */
export function toCRDSchema(models: Models, name: string): OpenAPINode {
  return new Conversion(models, name).convert(modelOf(models, name), name, '');
}

class Conversion {
  readonly #models: Models;
  readonly #root: string;
  readonly #open = new Set<string>();

  constructor(models: Models, root: string) {
    this.#models = models;
    this.#root = root;
  }

  /** `path`: definition and fields that lead here. `inherited`: the description of the referring node. */
  convert(node: OpenAPINode, path: string, inherited: string): OpenAPINode {
    const reference = referenceOf(node);
    if (reference !== undefined) return this.#convertReference(node, reference, inherited);
    const properties = node['properties'];
    const { type } = node;
    if (isRecord(properties) && (type === undefined || type === 'object'))
      return this.#convertObject(node, properties, path, inherited);
    switch (type) {
      case undefined:
        return {
          ...described(inherited, '', node),
          'x-kubernetes-embedded-resource': true,
          ...(typeof node['x-kubernetes-preserve-unknown-fields'] === 'boolean'
            ? { 'x-kubernetes-preserve-unknown-fields': node['x-kubernetes-preserve-unknown-fields'] }
            : {}),
        };
      case 'object':
        return this.#convertMap(node, path, inherited);
      case 'array':
        return this.#convertArray(node, path, inherited);
      default: {
        const { format } = node;
        const preset = knownDefaults.get(path);
        return {
          ...described(inherited, '', node),
          type,
          ...(format === undefined ? {} : { format }),
          ...(preset === undefined ? {} : { default: preset }),
        };
      }
    }
  }

  #convertReference(node: OpenAPINode, reference: string, inherited: string): OpenAPINode {
    if (this.#open.has(reference))
      throw new DiscoveryError('Unusable', `the definition ${this.#root} contains ${reference}, which contains itself`);
    const known = knownSchemas.get(reference);
    if (known !== undefined) return { ...known, ...described(inherited, '', node) };
    this.#open.add(reference);
    const converted = this.convert(modelOf(this.#models, reference), reference, inherited);
    this.#open.delete(reference);
    return converted;
  }

  #convertObject(node: OpenAPINode, properties: OpenAPINode, path: string, inherited: string): OpenAPINode {
    const fields = Object.entries(properties).map(([name, field]): [string, OpenAPINode] => {
      const fieldPath = `${path}.${name}`;
      if (fieldPath === `${this.#root}.metadata`) return [name, { type: 'object' }];
      const child = isRecord(field) ? field : {};
      return [name, this.convert(child, fieldPath, descriptionOf(child))];
    });
    const required = namesIn(node['required']);
    return {
      ...described(inherited, '', node),
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(fields),
      ...listTypes(node, false),
    };
  }

  #convertMap(node: OpenAPINode, path: string, inherited: string): OpenAPINode {
    const values = node['additionalProperties'];
    // A map of anything passes its description on to its values.
    const child = isRecord(values) ? values : withoutType(node);
    return {
      ...described(inherited, descriptionOf(child), node),
      type: 'object',
      additionalProperties: this.convert(child, path, descriptionOf(child)),
    };
  }

  #convertArray(node: OpenAPINode, path: string, inherited: string): OpenAPINode {
    if (!isRecord(node['items']))
      throw new DiscoveryError('Unusable', `the definition ${this.#root} has a list without items at ${path}`);
    const child = node['items'];
    const lists = listTypes(node, this.#isObject(child));
    const items = this.convert(child, path, descriptionOf(child));
    return {
      ...described(inherited, descriptionOf(child), node),
      type: 'array',
      items: withRequiredKeys(items, namesIn(lists['x-kubernetes-list-map-keys'])),
      ...lists,
    };
  }

  #isObject(node: OpenAPINode): boolean {
    const reference = referenceOf(node);
    return isRecord((reference === undefined ? node : this.#models.get(reference))?.['properties']);
  }
}

/** The keys of a list-map are required, except those with a default. */
function withRequiredKeys(items: OpenAPINode, keys: readonly string[]): OpenAPINode {
  const properties = items['properties'];
  if (keys.length === 0 || !isRecord(properties) || Object.keys(properties).length === 0) return items;
  const hasDefault = (name: string): boolean => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isRecord(field) && field['default'] !== undefined;
  };
  const required = [...new Set([...namesIn(items['required']), ...keys])].filter((name) => !hasDefault(name)).sort();
  const rest = Object.fromEntries(Object.entries(items).filter(([name]) => name !== 'required'));
  return required.length === 0 ? rest : { ...rest, required };
}

/** The list type and its keys, from the definition's extensions for lists, or for strategic merge patches. */
function listTypes(node: OpenAPINode, ofObjects: boolean): OpenAPINode {
  const strategy = node['x-kubernetes-patch-strategy'];
  const mergeKey = node['x-kubernetes-patch-merge-key'];
  const keys = Array.isArray(node['x-kubernetes-list-map-keys'])
    ? namesIn(node['x-kubernetes-list-map-keys'])
    : undefined;
  let type = node['x-kubernetes-list-type'];
  if (node['type'] === 'array') {
    if (type === undefined && typeof strategy === 'string' && strategy !== '')
      type = strategy.split(',').includes('merge') ? (ofObjects ? 'map' : 'set') : 'atomic';
    if (keys === undefined && typeof mergeKey === 'string' && strategy === undefined) type = 'map';
  }
  // kcp refuses keys on other lists, such as atomic ones with a merge key; the Go agent cannot publish such a type.
  const mapKeys = type === 'map' ? (keys ?? (typeof mergeKey === 'string' ? [mergeKey] : [])) : [];
  return {
    ...(mapKeys.length === 0 ? {} : { 'x-kubernetes-list-map-keys': mapKeys }),
    ...(type === undefined ? {} : { 'x-kubernetes-list-type': type }),
  };
}

/** The first description that is not empty. */
function described(inherited: string, ofChild: string, node: OpenAPINode): OpenAPINode {
  const description = [inherited, ofChild, descriptionOf(node)].find((text) => text !== '');
  return description === undefined ? {} : { description };
}

function descriptionOf(node: OpenAPINode): string {
  return typeof node['description'] === 'string' ? node['description'] : '';
}

function withoutType(node: OpenAPINode): OpenAPINode {
  return Object.fromEntries(
    Object.entries(node).filter(([name]) => name !== 'type' && name !== 'additionalProperties'),
  );
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function modelOf(models: Models, name: string): OpenAPINode {
  const model = models.get(name);
  if (model === undefined) throw new DiscoveryError('Unusable', `there is no definition ${name}`);
  return model;
}
