import { describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { type Client, type KubeObject, type Resource, firstObjectIn, resourceName } from './index.js';

const verbs = ['list', 'delete'];
const denied = new ApiError('Forbidden', 'no', { cluster: 'a', verb: 'list', resource: 'secrets' });

interface World {
  readonly objects?: Readonly<Record<string, readonly string[]>>;
  readonly refused?: string;
  readonly gone?: string;
}

/** An API server as far as discovery and lists go. */
function server({ objects = {}, refused, gone }: World): {
  readonly client: Pick<Client, 'name' | 'raw' | 'list'>;
  readonly listed: string[];
} {
  const listed: string[] = [];
  const discovery: Readonly<Record<string, unknown>> = {
    '/apis': {
      groups: [
        { name: 'example.com', versions: [{ version: 'v2' }, { version: 'v1' }] },
        { name: 'rbac.authorization.k8s.io', versions: [{ version: 'v1' }] },
      ],
    },
    '/api/v1': {
      resources: ['secrets', 'configmaps', 'serviceaccounts', 'events']
        .map((name) => ({ name, namespaced: true, verbs }))
        .concat([
          { name: 'nodes', namespaced: false, verbs },
          { name: 'bindings', namespaced: true, verbs: ['create'] },
          { name: 'pods/status', namespaced: true, verbs },
        ]),
    },
    '/apis/example.com/v2': { resources: [{ name: 'databases', namespaced: true, verbs }] },
    '/apis/example.com/v1': {
      resources: [
        { name: 'databases', namespaced: true, verbs },
        { name: 'olds', namespaced: true, verbs },
      ],
    },
    '/apis/rbac.authorization.k8s.io/v1': { resources: [{ name: 'rolebindings', namespaced: true, verbs }] },
  };
  const client = {
    name: 'a',
    raw: (_: string, path: string) =>
      path === gone
        ? Promise.reject(new ApiError('NotFound', 'gone', { cluster: 'a', verb: 'get', resource: 'example.com/v1' }))
        : Promise.resolve(discovery[path]),
    list: (resource: Resource) => {
      const name = resourceName(resource);
      listed.push(`${name} ${resource.version}`);
      if (name === refused) return Promise.reject(denied);
      const items = (objects[name] ?? []).map((object): KubeObject => ({
        apiVersion: '',
        kind: '',
        metadata: { name: object, namespace: 'x' },
      }));
      return Promise.resolve({ apiVersion: '', kind: '', metadata: {}, items });
    },
  } as unknown as Pick<Client, 'name' | 'raw' | 'list'>;
  return { client, listed };
}
const look = (
  world: World,
  isFurniture: (resource: string, object: KubeObject) => boolean = () => false,
): Promise<string | undefined> => firstObjectIn(server(world).client, 'x', isFurniture, new AbortController().signal);

describe('the first object in a namespace', () => {
  it('is none where there is only what Kubernetes puts there', async () => {
    expect(
      await look({ objects: { configmaps: ['kube-root-ca.crt'], serviceaccounts: ['default'], events: ['a', 'b'] } }),
    ).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, readonly string[]>>, string]>([
    ['of the core group', { secrets: ['token'] }, 'secrets token'],
    ['beside those of Kubernetes', { configmaps: ['kube-root-ca.crt', 'mine'] }, 'configmaps mine'],
    ['of a custom resource', { 'databases.example.com': ['orders'] }, 'databases.example.com orders'],
    ['that only an older version serves', { 'olds.example.com': ['one'] }, 'olds.example.com one'],
  ])('is one %s', async (_, objects, expected) => {
    expect(await look({ objects })).toBe(expected);
  });

  it('is none that the caller knows as furniture', async () => {
    const objects = { 'rolebindings.rbac.authorization.k8s.io': ['kube-binder', 'theirs'] };
    expect(
      await look(
        { objects },
        (resource, { metadata }) =>
          resource === 'rolebindings.rbac.authorization.k8s.io' && metadata.name === 'kube-binder',
      ),
    ).toBe('rolebindings.rbac.authorization.k8s.io theirs');
  });

  it('is looked for once per resource, and not in what cannot be deleted, stands in no namespace, or is a part', async () => {
    const { client, listed } = server({});
    await firstObjectIn(client, 'x', () => false, new AbortController().signal);
    expect(listed.toSorted()).toEqual([
      'configmaps v1',
      'databases.example.com v2',
      'events v1',
      'olds.example.com v1',
      'rolebindings.rbac.authorization.k8s.io v1',
      'secrets v1',
      'serviceaccounts v1',
    ]);
  });

  it('is not known where one list is refused, and nothing in a version that went away meanwhile', async () => {
    await expect(look({ refused: 'olds.example.com' })).rejects.toBe(denied);
    expect(await look({ gone: '/apis/example.com/v1' })).toBeUndefined();
  });
});
