import { kubeBindDialect } from '@hawser/kube-bind';
import type { ConsumerView } from '@hawser/exportrbac';
import { expect, it } from '@jest/globals';
import { Shown, shownDocument } from './discovery.js';
import type { Identity } from './identity.js';

const identity: Identity = {
  kind: 'consumer',
  dialect: kubeBindDialect,
  clusterNamespace: 'kube-bind-a',
  uid: 'uid',
  username: 'a',
  token: '',
  expiresAt: undefined,
};
const shownOf = (resources: readonly string[], claims: readonly string[]): Shown => {
  const view: ConsumerView = {
    resources: new Map(resources.map((name) => [name, []])),
    claims: new Set(claims),
    claimNamespaces: new Set(),
  };
  return new Shown(identity, view);
};

const names = ['zones.example.com', 'realms.example.com', 'zones.other.org'];
const claims = ['configmaps.core', 'services.core', 'zones.other.org'];
const subsets = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: 2 ** all.length }, (_, bits) => all.filter((_each, at) => (bits & (2 ** at)) !== 0));
const all = subsets(names).flatMap((some) => subsets(claims).map((claimed) => shownOf(some, claimed)));

const documents = {
  '': ['namespaces', 'secrets', 'configmaps', 'services', 'pods'],
  'example.com': ['zones', 'realms', 'others'],
  'other.org': ['zones'],
  'kube-bind.io': ['apiserviceexports', 'others'],
};

it.each(Object.entries(documents))(
  'names all that decides what is shown of the document of the group "%s"',
  (group, resources) => {
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    const document = { paths: Object.fromEntries(resources.map((resource) => [`${root}/${resource}`, {}])) };
    const byKey = new Map<string, string>();
    for (const shown of all) {
      const key = JSON.stringify(shown.resourcesOf(group));
      const text = JSON.stringify(shownDocument(document, group, shown));
      expect(byKey.get(key) ?? text).toBe(text);
      byKey.set(key, text);
    }
    expect(byKey.size).toBe({ '': 4, 'example.com': 4, 'other.org': 2, 'kube-bind.io': 1 }[group]);
  },
);
