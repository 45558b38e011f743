import type { Member, Target } from './observed.js';
import type { SecretReading, ValidSecret } from './secret-reading.js';

/** Input for the connection that a member wants. */
export interface MemberObserved {
  readonly member: Member;
  /** uid of the object; another object of that name is another member. */
  readonly uid: string | undefined;
  /** Content of its Secret. */
  readonly secret: SecretReading;
  /** The provider it is bound to; undefined: none yet. */
  readonly pin: string | undefined;
  /** It was bound in another consumer cluster. */
  readonly foreign: boolean;
}

export interface Targets {
  readonly targets: ReadonlyMap<Member, Target>;
  /** By hash: usable kubeconfigs, including those of unserved members. */
  readonly kubeconfigs: ReadonlyMap<string, ValidSecret>;
}

/** Decides which connection each member wants, and with which kubeconfigs. Pure. */
export function decideTargets(members: readonly MemberObserved[]): Targets {
  return {
    targets: new Map(members.map((member) => [member.member, targetOf(member)])),
    kubeconfigs: new Map(
      members.flatMap(({ secret }) => (secret.kind === 'valid' ? [[secret.hash, secret] as const] : [])),
    ),
  };
}

function targetOf({ secret, pin, foreign }: MemberObserved): Target {
  if (foreign) return { kind: 'refused' };
  return secret.kind === 'valid' ? { kind: 'connect', hash: secret.hash, pin } : { kind: 'stay', pin };
}
