import type { Client, Resource } from '@hawser/client';
import { databaseManifest, databaseResource, names } from './names.js';
import { type Table, tableText } from './table.js';
import type { User } from './user.js';

export interface ApiUserOptions {
  readonly client: Client;
  /** Fetches the API server's answer to a table request. */
  readonly tableOf: (resource: Resource, namespace: string | undefined) => Promise<Table>;
}

/** A user of the API itself, with the requests that kubectl would send. */
export function apiUser({ client, tableOf }: ApiUserOptions): User {
  const keyOf = (name: string): { readonly namespace: string; readonly name: string } => ({
    namespace: names.userNamespace,
    name,
  });
  return {
    apply: (database) => ({
      text: `Database ${names.userNamespace}/${database.name} is applied, size ${database.size}`,
      async carryOut() {
        await client.patch(
          databaseResource,
          keyOf(database.name),
          { type: 'apply', object: databaseManifest(database) },
          { fieldManager: 'demo-user' },
        );
      },
    }),
    label: (name, key, value) => ({
      text: `Database ${names.userNamespace}/${name} gets label ${key} ${value}`,
      async carryOut() {
        await client.patch(
          databaseResource,
          keyOf(name),
          { type: 'merge', patch: { metadata: { labels: { [key]: value } } } },
          { fieldManager: 'demo-user-label' },
        );
      },
    }),
    remove: (name) => ({
      text: `Database ${names.userNamespace}/${name} is deleted`,
      async carryOut() {
        await client.delete(databaseResource, keyOf(name));
      },
    }),
    async look({ resources, namespace, labels = false }) {
      const tables = await Promise.all(resources.map((resource) => tableOf(resource, namespace)));
      return {
        title: `${resources.map(({ resource }) => resource).join(', ')}${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
        text: tables.map((table) => tableText(table, labels)).join('\n\n'),
      };
    },
  };
}
