import type { Client, KubeObject, Resource } from '@hawser/client';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export const CONFIG_MAPS: Resource = { group: '', version: 'v1', resource: 'configmaps' };
export const NAMESPACES: Resource = { group: '', version: 'v1', resource: 'namespaces' };

/** Direct writes to the ConfigMaps of one namespace, past the proxy and the informer. */
export class ConfigMaps {
  constructor(
    private readonly client: Client,
    readonly namespace: string,
  ) {}

  async createNamespace(): Promise<void> {
    await this.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
  }

  create(name: string, value = '0'): Promise<ConfigMap> {
    const object: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: this.namespace },
      data: { value },
    };
    return this.client.create<ConfigMap>(CONFIG_MAPS, object);
  }

  set(name: string, value: string): Promise<ConfigMap> {
    return this.client.patch<ConfigMap>(
      CONFIG_MAPS,
      { namespace: this.namespace, name },
      { type: 'merge', patch: { data: { value } } },
    );
  }

  async delete(name: string): Promise<void> {
    await this.client.delete(CONFIG_MAPS, { namespace: this.namespace, name });
  }

  async deleteAll(): Promise<void> {
    await Promise.all((await this.list()).map(({ metadata }) => this.delete(metadata.name)));
  }

  /** The current objects by name, without managedFields. */
  async list(): Promise<readonly ConfigMap[]> {
    const { items } = await this.client.list<ConfigMap>(CONFIG_MAPS, { namespace: this.namespace });
    return byName(items.map(withoutManagedFields));
  }
}

export function byName(objects: Iterable<ConfigMap>): readonly ConfigMap[] {
  return [...objects].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function withoutManagedFields(object: ConfigMap): ConfigMap {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } };
}
