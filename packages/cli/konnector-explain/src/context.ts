import type { ClaimedResourcesOptions } from '@hawser/claimedresources';
import type { Client } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import type { OrphanPolicy } from '@hawser/konnector-sync';
import type { SchemaPolicy } from '@hawser/schemagate';
import type { CRDPolicy } from '@hawser/servicebinding';
import type { ConnectionConfig, KubeconfigPolicy } from '@hawser/kubeconfig';

/** How both sides are reached. Nothing here writes. */
export interface ExplainContext {
  /** The consumer. Only read, and asked by dry runs. */
  readonly consumer: Client;
  /** Makes a client of a provider. The caller closes it. */
  connect(config: ConnectionConfig): Client;
  /** Instead of the kubeconfig that the binding's Secret holds. */
  readonly provider?: ConnectionConfig | undefined;
  /** What a kubeconfig from a Secret may contain, as the konnector is told. */
  readonly policy: KubeconfigPolicy;
  /** What providers may install, as the konnector is told. Default: as by default. */
  readonly crds?: CRDPolicy | undefined;
  /** What becomes of changed schemas where the binding does not say. Default `Safe`. */
  readonly schemaPolicy?: SchemaPolicy | undefined;
  /** Whether the konnector stores objects anew when the storage version of a bound API moves. Default: no. */
  readonly migratesStoredVersions?: boolean | undefined;
  /** Whether several konnectors share the work, as they are told. Default: no. */
  readonly sharesWork?: boolean | undefined;
  /** What becomes of copies without consumer object, as the konnector is told. */
  readonly orphans?: OrphanPolicy | undefined;
  /** In which words both sides speak, as the konnector is told; the clients have to speak them, too. */
  readonly dialect: Dialect;
  /** Whether objects that were made on the provider come to the consumer, as the konnector is told. Default: no. */
  readonly adoptsFromProvider?: boolean | undefined;
  /** What providers may claim, where a binding says which claims it accepts, and how claimed objects are marked, as the konnector is told. Default: as in kube-bind. */
  readonly claims?: Pick<ClaimedResourcesOptions, 'claimable' | 'claimsOf' | 'marks'> | undefined;
  /** Whether Connections and bindings of `core.kbind.io` are looked at beside the others, or alone. Default: not at all. `consumer` and `connect` speak as servers do there. */
  readonly coreKbind?: 'also' | 'only' | undefined;
  /** Namespaces from which kubeconfigs of Connections are taken, as the konnector is told. Default: all. */
  readonly secretNamespaces?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly signal: AbortSignal;
}
