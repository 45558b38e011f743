import { type JsonObject, parse, stringify } from '@hawser/json';
import type { Catalog, ResourceInfo, SubresourceInfo, VirtualResource } from '../parts.js';
import type { TypeSource } from '../personality.js';
import type { Change } from '../store/change.js';
import type { ObjectStore } from '../store/object-store.js';
import { builtInTypes } from './builtin/types.js';
import { customResource } from './custom/custom-resource.js';
import { type Definition, readDefinition } from './custom/definition.js';
import { remembered } from '../object/remembered.js';
import type { ResourceType, ServedVersion } from './resource-type.js';

export const DEFINITIONS = 'apiextensions.k8s.io/customresourcedefinitions';

/** A resource in the version of a request. */
export interface ServedResource {
  readonly type: ResourceType;
  readonly version: ServedVersion;
}

/** Restarted servers, and others with the same resources, share definitions. */
const compiled = remembered(200, (definition): ResourceType =>
  customResource(parse(definition) as unknown as Definition),
);

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Served resources: built-in kinds and those of stored CRDs. Follows the store by itself. */
export class Registry implements Catalog {
  readonly #store: ObjectStore;
  readonly #builtIn: readonly ResourceType[];
  readonly #further: TypeSource | undefined;
  readonly #custom = new Map<
    string,
    { readonly source: JsonObject; readonly type: ResourceType; readonly terminating: boolean }
  >();
  readonly #byPath = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();
  readonly #removedListeners = new Set<(bucket: string) => void>();
  #virtual: readonly VirtualResource[] = [];
  #byBucket: ReadonlyMap<string, ResourceType> | undefined;
  #byName: ReadonlyMap<string, ResourceType> | undefined;
  #infos: readonly ResourceInfo[] | undefined;

  constructor(store: ObjectStore, builtIn: readonly ResourceType[] = builtInTypes(), further?: TypeSource) {
    this.#store = store;
    this.#builtIn = builtIn;
    this.#further = further;
    this.#index();
    further?.onChange(() => {
      this.#changed();
    });
    store.subscribe((change) => {
      if (change.entry.bucket === DEFINITIONS) this.#onDefinition(change);
    });
    store.onRestore(() => {
      this.#reload();
    });
    this.#reload();
  }

  /** Sets the resources that are asked, not stored. */
  setVirtual(resources: readonly VirtualResource[]): void {
    this.#virtual = resources;
    this.#changed();
  }

  /** The resource of a request; undefined if it is not served. */
  served(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byPath.get(`${group}/${version}/${resource}`);
  }

  virtual(group: string, version: string, resource: string): VirtualResource | undefined {
    return this.#virtual.find((each) => each.group === group && each.version === version && each.resource === resource);
  }

  types(): readonly ResourceType[] {
    return [...this.#builtIn, ...[...this.#custom.values()].map(({ type }) => type), ...(this.#further?.types() ?? [])];
  }

  typeOf(group: string, resource: string): ResourceType | undefined {
    this.#byName ??= new Map(this.types().map((type) => [`${type.group}/${type.resource}`, type]));
    return this.#byName.get(`${group}/${resource}`);
  }

  typeOfBucket(bucket: string): ResourceType | undefined {
    this.#byBucket ??= new Map(this.types().map((type) => [type.bucket, type]));
    return this.#byBucket.get(bucket);
  }

  isTerminating(type: ResourceType): boolean {
    return type.custom && this.#custom.get(`${type.resource}.${type.group}`)?.terminating === true;
  }

  resources(): readonly ResourceInfo[] {
    this.#infos ??= [
      ...this.types().flatMap(infosOf),
      ...this.#virtual.filter((each) => !each.resource.includes('/')).map(virtualInfo),
    ].map((info) => this.#withVirtual(info));
    return this.#infos;
  }

  find(group: string, version: string, resource: string): ResourceInfo | undefined {
    return this.resources().find(
      (info) => info.group === group && info.version === version && info.resource === resource,
    );
  }

  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
      },
    };
  }

  /** Called with the bucket of a resource that is no longer served at all. */
  onRemoved(listener: (bucket: string) => void): void {
    this.#removedListeners.add(listener);
  }

  /** Create-only subresources: `serviceaccounts/token`. */
  #withVirtual(info: ResourceInfo): ResourceInfo {
    const prefix = `${info.resource}/`;
    const own = this.#virtual.filter(
      (each) => each.group === info.group && each.version === info.version && each.resource.startsWith(prefix),
    );
    if (own.length === 0) return info;
    const added = own.map((each): SubresourceInfo => {
      const token = each.kind === 'TokenRequest';
      return {
        name: each.resource.slice(prefix.length),
        group: token ? 'authentication.k8s.io' : each.group,
        version: each.version,
        kind: each.kind,
        verbs: ['create'],
      };
    });
    return { ...info, subresources: [...info.subresources, ...added] };
  }

  #onDefinition(change: Change): void {
    if (change.type === 'DELETED') this.#remove(change.entry.key);
    else if (!this.#define(change.entry.key, change.entry.object)) return;
    this.#changed();
  }

  #remove(name: string): void {
    const removed = this.#custom.get(name);
    this.#custom.delete(name);
    if (removed !== undefined) for (const listener of this.#removedListeners) listener(removed.type.bucket);
  }

  /** Whether the served resources changed. */
  #define(name: string, crd: JsonObject): boolean {
    const before = this.#custom.get(name);
    const definition = readDefinition(crd);
    if (!definition.served) return this.#custom.delete(name);
    // Keeps compiled schemas as long as possible: they cache what they have read.
    const unchanged =
      before !== undefined && before.source['spec'] === crd['spec'] && before.terminating === definition.terminating;
    const type = unchanged ? before.type : compiled(stringify(definition));
    this.#custom.set(name, { source: crd, type, terminating: definition.terminating });
    return !unchanged;
  }

  #reload(): void {
    this.#custom.clear();
    for (const entry of this.#store.range(DEFINITIONS)) this.#define(entry.key, entry.object);
    this.#changed();
  }

  #changed(): void {
    this.#index();
    for (const listener of [...this.#listeners]) listener();
  }

  #index(): void {
    this.#infos = undefined;
    this.#byBucket = undefined;
    this.#byName = undefined;
    this.#byPath.clear();
    for (const type of this.types()) {
      for (const version of type.versions)
        if (version.served) this.#byPath.set(`${version.group}/${version.version}/${type.resource}`, { type, version });
    }
  }
}

/** A type in discovery's form. */
export function infosOf(type: ResourceType): readonly ResourceInfo[] {
  return type.versions
    .filter((version) => version.served)
    .map((version) => ({
      group: version.group,
      version: version.version,
      kind: version.kind,
      listKind: version.listKind,
      resource: type.resource,
      singular: type.singular,
      shortNames: type.shortNames,
      categories: type.categories,
      namespaced: type.namespaced,
      verbs:
        type.resource === 'namespaces' && type.group === ''
          ? VERBS.filter((verb) => verb !== 'deletecollection')
          : VERBS,
      subresources: [...version.subresources.values()].map((subresource) =>
        subresource.kind === 'scale'
          ? { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: subresource.verbs }
          : {
              name: subresource.name,
              group: version.group,
              version: version.version,
              kind: version.kind,
              verbs: subresource.verbs,
            },
      ),
      builtIn: !type.custom,
      schema: version.schema,
      selectableFields: version.selectableFields,
      deprecated: version.deprecated,
      deprecationWarning: version.deprecationWarning,
      storageVersion: type.storageVersion,
    }));
}

function virtualInfo(resource: VirtualResource): ResourceInfo {
  return {
    group: resource.group,
    version: resource.version,
    kind: resource.kind,
    listKind: '',
    resource: resource.resource,
    singular: resource.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: resource.namespaced,
    verbs: ['create'],
    subresources: [],
    builtIn: true,
    schema: undefined,
    selectableFields: [],
    deprecated: false,
    deprecationWarning: undefined,
    storageVersion: resource.version,
  };
}
