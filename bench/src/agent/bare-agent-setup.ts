import type { Resource } from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';

/** Settings of the reference, in a file. */
export interface BareAgentSetup {
  readonly service: ConnectionConfig;
  /** Server without a path. */
  readonly kcp: ConnectionConfig;
  /** Path of the virtual workspace, without `/clusters/…`. */
  readonly virtualWorkspace: string;
  /** For state Secrets. */
  readonly namespace: string;
  readonly resource: Resource;
}
