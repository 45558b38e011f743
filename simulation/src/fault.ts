import type { AdmissionFault } from './admission.js';

/** Names of clusters and machines are those of the scenario. */
export type LinkFaultKind =
  /** Every message takes up to `ms` longer. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Nothing gets through, and nobody is told. */
  | { readonly kind: 'partition' }
  /** A share of exchanges loses its connection: before the server has the request, after it has carried it out, or in the middle of the answer. */
  | { readonly kind: 'reset'; readonly share: number; readonly where: 'before' | 'after' | 'mid-body' }
  /** A share of requests is answered by something before the server. */
  | { readonly kind: 'refuse'; readonly share: number; readonly status: 401 | 403 | 429 | 500 | 503 }
  /** Watches that are open, and those that are opened meanwhile, say nothing more. */
  | { readonly kind: 'silent-watches' }
  /** Events of each watch come late, each watch by a time of its own: caches are stale, and what two watches show is out of order. */
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
  /** All that is not current is forgotten: watches and continue tokens from before get a 410, open watches end; the next list that has pages loses its later ones. */
  | { readonly at: number; readonly target: 'compaction'; readonly cluster: string }
  | { readonly at: number; readonly forMs: number; readonly target: 'restart'; readonly cluster: string }
  /** The API server comes back with the state that it had `ageMs` before. */
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
  /** The process is killed, at once or with its n-th request from then on, which is sent or not, and started again. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'kill';
      readonly machine: string;
      readonly afterRequests: number;
      readonly sent: boolean;
    }
  /** Somebody else holds the lease of the konnectors. */
  | { readonly at: number; readonly forMs: number; readonly target: 'steal-lease' }
  /** A webhook of the cluster does something to the objects of the APIs. */
  | {
      readonly at: number;
      readonly forMs: number;
      readonly target: 'admission';
      readonly cluster: string;
      readonly webhook: AdmissionFault;
    }
  /** The consumer's access to a provider is revoked; it is given back `forMs` later, with a kubeconfig that somebody hands out anew. */
  | { readonly at: number; readonly forMs: number; readonly target: 'revoke'; readonly cluster: string }
  /** The provider replaces the consumer's token; the old one stays valid for a while. */
  | { readonly at: number; readonly target: 'replace-token'; readonly cluster: string }
  /** Somebody deletes the APIServiceNamespace of one of the consumer's namespaces on the provider. */
  | { readonly at: number; readonly target: 'drop-namespace'; readonly cluster: string; readonly namespace: string }
  /** The consumer cluster is lost and set up anew from manifests: Secrets, bindings, and the objects that its users still want. */
  | { readonly at: number; readonly forMs: number; readonly target: 'rebuild-consumer' };

/** Lists lack the objects, or copies, of one workspace, as from a server whose own cache is not whole. Of the simulation of the agent. */
export interface HideFault {
  readonly at: number;
  readonly forMs: number;
  readonly target: 'hide';
  readonly cluster: string;
  readonly workspace: number;
}

/** For a schedule that people read. */
export function describeFault(fault: Fault | HideFault): string {
  const { at, ...rest } = fault;
  const fields = Object.entries(rest.target === 'link' ? { ...rest, fault: undefined, ...rest.fault } : rest)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => (name === 'target' && rest.target !== 'link' ? String(value) : `${name}=${String(value)}`));
  return `${(at / 1000).toFixed(1).padStart(9)} s  ${fields.join(' ')}`;
}
