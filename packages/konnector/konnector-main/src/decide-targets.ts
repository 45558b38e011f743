import type { Member, Target } from './observed.js';
import type { SecretReading, ValidSecret } from './secret-reading.js';

/** Everything that says which connection a member wants. */
export interface MemberObserved {
  readonly member: Member;
  /** Of the object; another one of that name is another member. */
  readonly uid: string | undefined;
  /** What its Secret holds. */
  readonly secret: SecretReading;
  /** The provider that it is bound to; undefined: none yet. */
  readonly pin: string | undefined;
  /** It was bound in another consumer cluster. */
  readonly foreign: boolean;
}

export interface Targets {
  readonly targets: ReadonlyMap<Member, Target>;
  /** By hash: the kubeconfigs that can be used, those of members that are not served included. */
  readonly kubeconfigs: ReadonlyMap<string, ValidSecret>;
}

/** Which connection each member wants, and by which kubeconfigs. Pure. */
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
