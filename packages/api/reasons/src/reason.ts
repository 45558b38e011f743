/** Who has to do something. `consumer`: whoever uses the API; `operator`: who runs the konnector, or the agent of kcp; `provider`: who runs the service; `nobody`: it passes, or is meant so. */
export type ReasonActor = 'consumer' | 'operator' | 'provider' | 'nobody';

/** One reason, as it stands in a condition, an Event, or both. */
export interface Reason {
  /** CamelCase token, stable: alerts and scripts match on it. */
  readonly reason: string;
  /** What is the case. Words that fit into a table: no full stop, no line break. */
  readonly cause: string;
  readonly actor: ReasonActor;
  /** What the actor does about it. */
  readonly remedy: string;
  /** Told by an Event as well, or by nothing but an Event. */
  readonly event?: 'Warning' | 'Normal';
}

/** What is said under one condition type, or, without a type, where there is no condition for it. */
export interface ReasonGroup {
  /** Absent: there is no condition; Events, or nothing but `hawser why`, tell. */
  readonly condition?: string;
  /** What the condition says; a whole sentence or more, in Markdown. */
  readonly meaning: string;
  readonly reasons: readonly Reason[];
}

/** The kind of object that something is said about. */
export interface ReasonSubject {
  readonly kind: string;
  /** Headline in the documentation. */
  readonly title: string;
  /** Who writes it, and when; Markdown. */
  readonly intro: string;
  readonly groups: readonly ReasonGroup[];
}
