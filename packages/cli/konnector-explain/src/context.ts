import type { ClaimedResourcesOptions } from '@hawser/claimedresources';
import type { Client } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import type { OrphanPolicy } from '@hawser/konnector-sync';
import type { SchemaPolicy } from '@hawser/schemagate';
import type { CRDPolicy } from '@hawser/servicebinding';
import type { ConnectionConfig, KubeconfigPolicy } from '@hawser/kubeconfig';

/** How to reach both sides. Nothing here writes. */
export interface ExplainContext {
  /** The consumer. Only for reads and dry runs. */
  readonly consumer: Client;
  /** Makes a client of a provider. The caller closes it. */
  connect(config: ConnectionConfig): Client;
  /** Replaces the kubeconfig in the binding's Secret. */
  readonly provider?: ConnectionConfig | undefined;
  /** Limits for a kubeconfig from a Secret, as in the konnector's settings. */
  readonly policy: KubeconfigPolicy;
  /** CRDs that providers may install, as in the konnector's settings. Default: its default. */
  readonly crds?: CRDPolicy | undefined;
  /** Policy for changed schemas if the binding sets none. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Whether the konnector rewrites stored objects when the storage version of a bound API moves. Default: no. */
  readonly migratesStoredVersions?: boolean | undefined;
  /** Whether several konnectors share the work, as in their settings. Default: no. */
  readonly sharesWork?: boolean | undefined;
  /** Policy for copies without consumer object, as in the konnector's settings. */
  readonly orphans?: OrphanPolicy | undefined;
  /** Dialect of both sides, as in the konnector's settings; the clients have to speak it, too. */
  readonly dialect: Dialect;
  /** Whether the konnector adopts objects made on the provider, as in its settings. Default: no. */
  readonly adoptsFromProvider?: boolean | undefined;
  /**
   * What providers may claim, where a binding records accepted claims, and how claimed objects are marked, as in the
   * konnector's settings. Default: as in kube-bind.
   */
  readonly claims?: Pick<ClaimedResourcesOptions, 'claimable' | 'claimsOf' | 'marks'> | undefined;
  /**
   * Whether to examine Connections and bindings of `core.kbind.io` beside the others, or alone. Default: not at all.
   * There, `consumer` and `connect` speak as servers do.
   */
  readonly coreKbind?: 'also' | 'only' | undefined;
  /** Namespaces of the kubeconfigs of Connections, as in the konnector's settings. Default: all. */
  readonly secretNamespaces?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly signal: AbortSignal;
}
