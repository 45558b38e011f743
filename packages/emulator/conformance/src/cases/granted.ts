import type { JsonObject } from '@hawser/json';
import type { Api } from '../api.js';
import { role, roleBinding, user } from './objects.js';

/** Rules that grant reading ConfigMaps. */
export const readers = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }];

/** Rules that grant reading Secrets. */
export const secretsToo = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'] }];

/** Grants `name` the rules in the namespace of the case and waits until they take effect. */
export async function allow(api: Api, name: string, rules: readonly JsonObject[]): Promise<void> {
  await api.quietly.create(api.path('roles'), role('allowed', rules));
  await api.quietly.create(
    api.path('rolebindings'),
    roleBinding('allowed', { kind: 'Role', name: 'allowed' }, [user(name)]),
  );
  await effective(api, name, rules[0] ?? {});
}

/** Waits until the API server applies a rule granted to `name`. */
export async function effective(api: Api, name: string, rule: JsonObject): Promise<void> {
  const first = (field: string): string => (rule[field] as readonly string[] | undefined)?.[0] ?? '';
  const [resource = '', subresource = ''] = first('resources').split('/');
  const spec = {
    user: name,
    resourceAttributes: {
      namespace: api.namespace,
      verb: first('verbs'),
      group: first('apiGroups'),
      resource,
      subresource,
      name: (rule['resourceNames'] as readonly string[] | undefined)?.[0] ?? '',
    },
  };
  await api.eventually(
    (calls) => calls.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec }),
    (answer) => answer.at('status', 'allowed') === true,
  );
}
