import type { CustomResourceDefinition } from '@hawser/kube-bind';
import type { Hold } from './hold.js';
import type { WantedCRD } from './wanted-crd.js';

/**
 * The intermediate CRD spec for a CRD that would lose versions with stored objects: the wanted spec plus those
 * versions, in which nothing is stored from then on. Undefined: there is no such version. An API server keeps a version
 * as long as `status.storedVersions` has it.
 */
export function bridgeTo(
  wanted: WantedCRD,
  live: CustomResourceDefinition,
): { readonly wanted: WantedCRD; readonly interim: Hold } | undefined {
  const left = (live.status?.storedVersions ?? []).filter(
    (stored) => !wanted.spec.versions.some(({ name }) => name === stored),
  );
  const kept = live.spec.versions
    .filter(({ name }) => left.includes(name))
    .map((version) => ({ ...version, storage: false }));
  if (kept.length === 0) return undefined;
  const names = kept.map(({ name }) => name).join(', ');
  return {
    wanted: { ...wanted, spec: { ...wanted.spec, versions: [...wanted.spec.versions, ...kept] } },
    interim: {
      reason: 'StoredVersionsLeft',
      message: `Everything but this is installed: ${names} stays until no object is stored in it. Objects are being rewritten; this ends by itself, unless condition StoredVersionsMigrated says what is in the way.`,
    },
  };
}
