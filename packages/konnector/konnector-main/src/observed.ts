/**
 * Keeps a connection alive: `binding:<name>`, `bundle:<name>`, or `secret:<namespace>/<name>` for a labelled Secret,
 * which gets heartbeats before anything is bound.
 */
export type Member = `binding:${string}` | `bundle:${string}` | `secret:${string}`;

/** The connection that a member wants. */
export type Target =
  | {
      readonly kind: 'connect';
      readonly hash: string;
      /** The provider that it is bound to; absent: none yet. */ readonly pin?: string | undefined;
    }
  /** Its Secret is missing or unusable: it stays on the last working kubeconfig. */
  | { readonly kind: 'stay'; readonly pin?: string | undefined }
  /** It was bound in another consumer cluster, and is not served. */
  | { readonly kind: 'refused' };

/**
 * - `preparing`: fills its caches, or waits for the next try after a failure.
 * - `prepared`: ready to work, and waiting for permission.
 * - `running`: its controllers work.
 * - `stopping`: finishes work in flight.
 */
export type ConnectionPhase = 'preparing' | 'prepared' | 'running' | 'stopping';

export interface ConnectionObserved {
  readonly hash: string;
  readonly phase: ConnectionPhase;
  readonly members: readonly Member[];
  /** Members that left but may still have work in flight. */
  readonly draining: readonly Member[];
  /** Identity of its provider, once known. */
  readonly identity?: string | undefined;
}

export interface Observed {
  /** Every existing member. A missing one is gone. */
  readonly targets: ReadonlyMap<Member, Target>;
  readonly connections: readonly ConnectionObserved[];
}

export const bindingMember = (name: string): Member => `binding:${name}`;
export const bundleMember = (name: string): Member => `bundle:${name}`;
export const secretMember = (namespace: string, name: string): Member => `secret:${namespace}/${name}`;

/** The name of the binding, if the member is one. */
export function bindingOf(member: Member): string | undefined {
  return member.startsWith('binding:') ? member.slice('binding:'.length) : undefined;
}

/** The name of the bundle, if the member is one. */
export function bundleOf(member: Member): string | undefined {
  return member.startsWith('bundle:') ? member.slice('bundle:'.length) : undefined;
}

/** Whether the member binds anything: a labelled Secret alone does not. */
export function isBound(member: Member): boolean {
  return !member.startsWith('secret:');
}
