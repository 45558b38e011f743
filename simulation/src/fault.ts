import type { AdmissionFault } from './admission.js';

/** Names of clusters and machines come from the scenario. */
export type LinkFaultKind =
  /** Every message takes up to `ms` longer. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** No message gets through, and no sender learns of it. */
  | { readonly kind: 'partition' }
  /**
   * A share of exchanges loses its connection: before the server has the request, after it has carried it out, or in
   * the middle of the answer.
   */
  | { readonly kind: 'reset'; readonly share: number; readonly where: 'before' | 'after' | 'mid-body' }
  /** A proxy answers a share of requests before the server. */
  | { readonly kind: 'refuse'; readonly share: number; readonly status: 401 | 403 | 429 | 500 | 503 }
  /** Open watches, and those opened during the fault, fall silent. */
  | { readonly kind: 'silent-watches' }
  /**
   * Events of each watch are late, each watch by its own delay: caches are stale, and two watches are out of order with
   * each other.
   */
  | { readonly kind: 'late-events'; readonly ms: number };

export type Fault =
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'link';
      readonly machine: string;
      readonly cluster: string;
      readonly fault: LinkFaultKind;
    }
  /**
   * The server forgets all old versions: older watches and continue tokens get a 410, and open watches end. The next
   * list with pages loses its later ones.
   */
  | { readonly at: number; readonly target: 'compaction'; readonly cluster: string }
  | { readonly at: number; readonly forMs: number; readonly target: 'restart'; readonly cluster: string }
  /** The API server restarts with its state from `ageMs` before. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'restore';
      readonly cluster: string;
      readonly ageMs: number;
    }
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'skew';
      readonly machine: string;
      readonly ms: number;
    }
  | { readonly at: number; readonly forMs: number; readonly target: 'stall'; readonly machine: string }
  /** The process is killed, at once or with its n-th request from then on, which is sent or not. Then it restarts. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'kill';
      readonly machine: string;
      readonly afterRequests: number;
      readonly sent: boolean;
    }
  /** Another holder has the lease of the konnectors. */
  | { readonly at: number; readonly forMs: number; readonly target: 'steal-lease' }
  /** A webhook of the cluster acts on the objects of the APIs. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'admission';
      readonly cluster: string;
      readonly webhook: AdmissionFault;
    }
  /**
   * The consumer's access to a provider is revoked. It returns `forMs` later, with a kubeconfig that a person hands out
   * anew.
   */
  | { readonly at: number; readonly forMs: number; readonly target: 'revoke'; readonly cluster: string }
  /** The provider replaces the consumer's token; the old one stays valid for a while. */
  | { readonly at: number; readonly target: 'replace-token'; readonly cluster: string }
  /** A person deletes the APIServiceNamespace of one of the consumer's namespaces on the provider. */
  | { readonly at: number; readonly target: 'drop-namespace'; readonly cluster: string; readonly namespace: string }
  /**
   * The consumer cluster is lost. Manifests set it up anew: Secrets, bindings, and the objects that its users still
   * want.
   */
  | { readonly at: number; readonly forMs: number; readonly target: 'rebuild-consumer' };

/**
 * Lists lack the objects, or copies, of one workspace, as from a server with an incomplete cache. Only in the
 * simulation of the agent.
 */
export interface HideFault {
  readonly at: number;
  readonly forMs: number;
  readonly target: 'hide';
  readonly cluster: string;
  readonly workspace: number;
}

/** A fault in words, for people. */
export function describeFault(fault: Fault | HideFault): string {
  const { at, ...rest } = fault;
  const fields = Object.entries(rest.target === 'link' ? { ...rest, fault: undefined, ...rest.fault } : rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (name === 'target' && rest.target !== 'link' ? String(value) : `${name}=${String(value)}`));
  return `${(at / 1000).toFixed(1).padStart(9)} s  ${fields.join(' ')}`;
}
