import type { Client } from '@hawser/client';
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
  /** What becomes of copies without consumer object, as the konnector is told. */
  readonly orphans?: OrphanPolicy | undefined;
  /** What providers may claim, as the konnector is told: what the contract names, which is the default, or any namespaced resource. */
  readonly claims?: 'Contract' | 'Any' | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly signal: AbortSignal;
}
