import {
  type ClaimedResourcesOptions,
  type Marks,
  klutchMarks,
  kubeBindMarks,
  readKlutchClaim,
} from '@hawser/claimedresources';
import type { Client } from '@hawser/client';
import {
  acceptedClaims,
  createKlutchClient,
  consumerCRDs as klutchCRDs,
  installCRDs as installKlutchCRDs,
  klutchDialect,
} from '@hawser/klutch';
import {
  type CustomResourceDefinition,
  type Dialect,
  type InstallOptions,
  consumerCRDs,
  installCRDs,
  kubeBindDialect,
} from '@hawser/kube-bind';

import type { Config } from '@hawser/config';

/** Differences of the konnector between dialects; all else is the same (`docs/decisions/0012-*.md`). */
export interface KonnectorDialect {
  readonly dialect: Dialect;
  /** Client through which the controllers find the kinds that they know. */
  readonly speaking: (client: Client) => Client;
  /** CRDs of the konnector on the consumer. */
  readonly crds: readonly CustomResourceDefinition[];
  /** Installs the CRDs of the konnector on the consumer. `client` is the one before {@link speaking}. */
  readonly install: (client: Client, options: InstallOptions) => Promise<unknown>;
  readonly bundles: boolean;
  /** How providers make claims, and how claimed objects name their owner. */
  readonly claims: Pick<ClaimedResourcesOptions, 'claimable' | 'claimsOf'> & { readonly marks: Marks };
  readonly labelledSecrets: boolean;
  readonly adoptsFromProvider: boolean;
}

const dialects: Readonly<Record<Config['konnector']['dialect'], KonnectorDialect>> = {
  'kube-bind': {
    dialect: kubeBindDialect,
    speaking: (client) => client,
    crds: consumerCRDs,
    install: (client, options) => installCRDs(client, consumerCRDs, options),
    bundles: true,
    labelledSecrets: true,
    adoptsFromProvider: false,
    claims: { marks: kubeBindMarks },
  },
  klutch: {
    dialect: klutchDialect,
    speaking: createKlutchClient,
    crds: klutchCRDs,
    install: (client, options) => installKlutchCRDs(client, klutchCRDs, options),
    bundles: false,
    labelledSecrets: false,
    adoptsFromProvider: true,
    claims: {
      claimable: 'Any',
      marks: klutchMarks,
      claimsOf: (binding) => acceptedClaims(binding).map(readKlutchClaim),
    },
  },
};

export function konnectorDialect({
  dialect,
  adoptFromProvider,
  labelledSecrets,
}: Config['konnector']): KonnectorDialect {
  const chosen = dialects[dialect];
  return {
    ...chosen,
    labelledSecrets: chosen.labelledSecrets && labelledSecrets,
    adoptsFromProvider: adoptFromProvider ?? chosen.adoptsFromProvider,
  };
}

/** Namespaces of the kubeconfigs of Connections; undefined: all. */
export function kubeconfigNamespaces({ coreKbind }: Config['konnector']): readonly string[] | undefined {
  return coreKbind.secretNamespaces.includes('*') ? undefined : coreKbind.secretNamespaces;
}
