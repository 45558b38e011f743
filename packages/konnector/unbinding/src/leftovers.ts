import { unbindPolicyOf } from '@hawser/kube-bind';

import type { Inventory } from './inventory.js';

/** One kind of an installation's parts, and those found. */
export interface Check {
  readonly what: string;
  /** Names, or counts with names. Empty: none. */
  readonly found: readonly string[];
}

/** Lists what is left, kind by kind; without findings the installation is gone. */
export function checksOf(
  { terms: { dialect }, bindings, bundles, crds, contractCRDs, secrets, records, lease, unreadable }: Inventory,
  leaseName: string,
): readonly Check[] {
  return [
    { what: 'APIServiceBindings', found: bindings.map(({ metadata }) => metadata.name) },
    { what: 'APIServiceBindingBundles', found: bundles.map(({ metadata }) => metadata.name) },
    {
      what: 'CRDs of bindings',
      found: crds
        .filter(({ ours }) => ours)
        .map(({ crd, objects }) => `${crd.metadata.name} (${count(objects, 'object')})`),
    },
    {
      what: `objects with finalizer ${dialect.finalizer}`,
      found: crds.filter(({ held }) => held > 0).map(({ crd, held }) => `${held} of ${crd.metadata.name}`),
    },
    { what: `CRDs of ${dialect.apiGroup}`, found: contractCRDs.map(({ name }) => name) },
    { what: 'kubeconfig Secrets', found: secrets.map(fullName) },
    { what: 'records of orphans', found: records.map(fullName) },
    {
      what: 'Lease',
      found:
        lease === undefined
          ? []
          : [lease.holder === undefined ? leaseName : `${leaseName}, held by ${lease.holder}: a konnector runs`],
    },
    { what: 'what could not be looked at', found: unreadable },
  ];
}

/** Lists the steps of uninstalling, line by line, in order. */
export function planUninstall(inventory: Inventory, leaseName: string, keepSecrets: boolean): readonly string[] {
  const { bindings, bundles, crds, contractCRDs, secrets, records, lease } = inventory;
  return [
    ...bundles.map(({ metadata }) => `delete APIServiceBindingBundle ${metadata.name}`),
    ...bindings.map((binding) => {
      const owned = crds.filter(({ crd }) =>
        crd.metadata.ownerReferences?.some(({ uid }) => uid === binding.metadata.uid),
      );
      const { policy, unknown } = unbindPolicyOf(binding.metadata);
      return `delete APIServiceBinding ${binding.metadata.name}: ${consequence(
        policy,
        unknown,
        owned.reduce((sum, { objects }) => sum + objects, 0),
      )}`;
    }),
    ...crds
      .filter(({ held }) => held > 0)
      .map(
        ({ crd, held }) =>
          `release ${count(held, 'object')} of ${crd.metadata.name}, as far as ${held === 1 ? 'it is' : 'they are'} left by then`,
      ),
    ...crds
      .filter(({ ours }) => ours)
      .map(({ crd, objects }) => `delete CRD ${crd.metadata.name} and with it ${count(objects, 'object')}`),
    ...(keepSecrets ? [] : secrets.map((secret) => `delete Secret ${fullName(secret)}`)),
    ...records.map((record) => `print and delete ConfigMap ${fullName(record)}`),
    ...(lease === undefined
      ? []
      : [
          lease.holder === undefined
            ? `delete Lease ${leaseName}`
            : `keep Lease ${leaseName}: ${lease.holder} renews it; remove that konnector as well`,
        ]),
    ...contractCRDs.map(({ name }) => `delete CRD ${name}`),
  ];
}

function consequence(policy: 'Orphan' | 'Delete' | 'Block', unknown: string | undefined, objects: number): string {
  switch (policy) {
    case 'Orphan':
      return `${count(objects, 'object')} here ${objects === 1 ? 'is' : 'are'} deleted, the copies on the provider stay (policy Orphan)`;
    case 'Delete':
      return `${count(objects, 'object')} ${objects === 1 ? 'is' : 'are'} deleted here and on the provider (policy Delete)`;
    case 'Block':
      return `waits until its ${count(objects, 'object')} ${objects === 1 ? 'is' : 'are'} deleted by other means (policy ${unknown === undefined ? 'Block' : `"${unknown}", which is unknown and counts as Block`})`;
  }
}

function fullName({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
