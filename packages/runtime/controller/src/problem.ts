/** Who must act: `consumer`, the user of the API; `provider`, who offers the API; `operator`, who runs Hawser. */
export type Actor = 'consumer' | 'provider' | 'operator' | 'nobody';

/** Why one object is not in step, in words for the person who must act. Never contains data of a Secret. */
export interface Problem {
  /** CamelCase token, stable. */
  readonly reason: string;
  readonly message: string;
  readonly actor: Actor;
}

/** A problem and its object, by the key of its controller. */
export interface ObjectProblem extends Problem {
  readonly object: string;
  /** When it was first seen with this reason, in milliseconds since the epoch. */
  readonly since: number;
}
