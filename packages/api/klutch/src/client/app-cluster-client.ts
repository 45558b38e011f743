import type { Client, KubeObject, Resource } from '@hawser/client';
import { resources as kubernetes } from '@hawser/kube-bind';
import { resources } from '../resources.js';

/** Clients for an app cluster that is served from outside, beside its provider (spec/klutch.md §13). */
export interface AppClusterSides {
  readonly app: Client;
  /** See {@link withOwnKubeconfig}. */
  readonly controlPlane: Client;
  readonly rootNamespace: string;
}

/** Where to send requests for a resource. */
interface Route {
  readonly client: Client;
  /** Namespace on the control plane; the caller does not know it. */
  readonly namespace?: string | undefined;
}

/**
 * Shows an app cluster as a konnector inside it would find it. APIServiceBindings come from the root namespace on the
 * control plane and appear cluster-scoped; Secrets and ConfigMaps of the root namespace come from there too. All else
 * is the app cluster's.
 */
export function createAppClusterClient(sides: AppClusterSides): Client {
  const { app, controlPlane, rootNamespace } = sides;
  const routeOf = (resource: Resource, namespace: string | undefined): Route => {
    if (is(resource, resources.apiServiceBindings)) return { client: controlPlane, namespace: rootNamespace };
    return {
      client:
        namespace === rootNamespace && (is(resource, kubernetes.secrets) || is(resource, kubernetes.configMaps))
          ? controlPlane
          : app,
    };
  };
  const at = <T extends { readonly namespace?: string | undefined }>(target: T, { namespace }: Route): T =>
    namespace === undefined ? target : { ...target, namespace };
  const shown = <T extends KubeObject>(object: T, { namespace }: Route): T =>
    namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace: undefined } };

  return {
    name: app.name,
    async get<T extends KubeObject>(...[resource, key, options]: Parameters<Client['get']>) {
      const route = routeOf(resource, key.namespace);
      return shown(await route.client.get<T>(resource, at(key, route), options), route);
    },
    async list<T extends KubeObject>(...[resource, options]: Parameters<Client['list']>) {
      const route = routeOf(resource, options?.namespace);
      const page = await route.client.list<T>(resource, at(options ?? {}, route));
      return { ...page, items: page.items.map((item) => shown(item, route)) };
    },
    async watch<T extends KubeObject>(...[resource, options]: Parameters<Client['watch']>) {
      const route = routeOf(resource, options?.namespace);
      const stream = await route.client.watch<T>(resource, at(options ?? {}, route));
      return (async function* events() {
        for await (const event of stream)
          yield event.type === 'BOOKMARK' ? event : { ...event, object: shown(event.object, route) };
      })();
    },
    async create<T extends KubeObject>(...[resource, object, options]: Parameters<Client['create']>) {
      const route = routeOf(resource, object.metadata.namespace);
      return shown(
        await route.client.create<T>(resource, { ...object, metadata: at(object.metadata, route) }, options),
        route,
      );
    },
    async update<T extends KubeObject>(...[resource, object, options]: Parameters<Client['update']>) {
      const route = routeOf(resource, object.metadata.namespace);
      return shown(
        await route.client.update<T>(resource, { ...object, metadata: at(object.metadata, route) }, options),
        route,
      );
    },
    async patch<T extends KubeObject>(...[resource, key, patch, options]: Parameters<Client['patch']>) {
      const route = routeOf(resource, key.namespace);
      return shown(await route.client.patch<T>(resource, at(key, route), patch, options), route);
    },
    delete(resource, key, options) {
      const route = routeOf(resource, key.namespace);
      return route.client.delete(resource, at(key, route), options);
    },
    raw: (...request) => app.raw(...request),
    withWriteGuard: (signal) =>
      createAppClusterClient({
        ...sides,
        app: app.withWriteGuard(signal),
        controlPlane: controlPlane.withWriteGuard(signal),
      }),
    at: (...args) => app.at(...args),
    recovery: controlPlane.recovery,
    close: () => app.close(),
  };
}

/**
 * Client of the control plane for a konnector that runs there. Secrets of the root namespace hold kubeconfigs of the
 * app cluster. A reader of the provider's kubeconfig gets `kubeconfig` instead, under every key.
 */
export function withOwnKubeconfig(client: Client, rootNamespace: string, kubeconfig: string): Client {
  const value = Buffer.from(kubeconfig).toString('base64');
  const shown = <T extends KubeObject>(resource: Resource, object: T): T => {
    const { data } = object as { readonly data?: Readonly<Record<string, string>> };
    if (!is(resource, kubernetes.secrets) || object.metadata.namespace !== rootNamespace || data === undefined)
      return object;
    return { ...object, data: Object.fromEntries(Object.keys(data).map((key) => [key, value])) };
  };
  return {
    name: client.name,
    get: async <T extends KubeObject>(...[resource, key, options]: Parameters<Client['get']>) =>
      shown(resource, await client.get<T>(resource, key, options)),
    async list<T extends KubeObject>(...[resource, options]: Parameters<Client['list']>) {
      const page = await client.list<T>(resource, options);
      return { ...page, items: page.items.map((item) => shown(resource, item)) };
    },
    async watch<T extends KubeObject>(...[resource, options]: Parameters<Client['watch']>) {
      const stream = await client.watch<T>(resource, options);
      return (async function* events() {
        for await (const event of stream)
          yield event.type === 'BOOKMARK' ? event : { ...event, object: shown(resource, event.object) };
      })();
    },
    create: (...request) => client.create(...request),
    update: (...request) => client.update(...request),
    patch: (...request) => client.patch(...request),
    delete: (...request) => client.delete(...request),
    raw: (...request) => client.raw(...request),
    at: (...args) => client.at(...args),
    recovery: client.recovery,
    close: () => client.close(),
    withWriteGuard: (signal) => withOwnKubeconfig(client.withWriteGuard(signal), rootNamespace, kubeconfig),
  };
}

function is(resource: Resource, kind: Resource): boolean {
  return resource.group === kind.group && resource.resource === kind.resource;
}
