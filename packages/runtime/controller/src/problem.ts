/** Who has to do something: `consumer`, whoever uses the API; `provider`, who offers it; `operator`, who runs Hawser. */
export type Actor = 'consumer' | 'provider' | 'operator' | 'nobody';

/** Why one object is not in step, in words for the person who must act. Never contains data of a Secret. */
export interface Problem {
  /** CamelCase token, stable. */
  readonly reason: string;
  readonly message: string;
  readonly actor: Actor;
}

/** A problem and the object that has it, by the key under which its controller works on it. */
export interface ObjectProblem extends Problem {
  readonly object: string;
  /** Milliseconds since the epoch at which it was first seen with this reason. */
  readonly since: number;
}
