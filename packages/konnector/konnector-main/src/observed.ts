/**
 * Who keeps a connection alive: `binding:<name>`, `bundle:<name>`, or `secret:<namespace>/<name>` for a labelled Secret, for which heartbeats are
 * sent before anything is bound.
 */
export type Member = `binding:${string}` | `bundle:${string}` | `secret:${string}`;

/** Which connection a member wants. */
export type Target =
  | {
      readonly kind: 'connect';
      readonly hash: string;
      /** The provider that it is bound to; absent: none yet. */ readonly pin?: string | undefined;
    }
  /** Its Secret is missing or unusable: it stays where it is, on the last kubeconfig that worked. */
  | { readonly kind: 'stay'; readonly pin?: string | undefined }
  /** It was bound in another consumer cluster, and is not served. */
  | { readonly kind: 'refused' };

/**
 * - `preparing`: its caches are being filled, or it failed and waits for the next try.
 * - `prepared`: ready to work, and waiting to be let.
 * - `running`: its controllers work.
 * - `stopping`: ends what is in flight.
 */
export type ConnectionPhase = 'preparing' | 'prepared' | 'running' | 'stopping';

export interface ConnectionObserved {
  readonly hash: string;
  readonly phase: ConnectionPhase;
  readonly members: readonly Member[];
  /** Members that have left, while something of theirs may still be in flight. */
  readonly draining: readonly Member[];
  /** Which provider it leads to, once that is known. */
  readonly identity?: string | undefined;
}

export interface Observed {
  /** Every member that exists. One that is missing here is gone. */
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

/** Whether anything is bound by the member: a labelled Secret alone binds nothing. */
export function isBound(member: Member): boolean {
  return !member.startsWith('secret:');
}
