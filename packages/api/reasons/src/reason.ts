/** Who must act. `consumer`: the user of the API; `operator`: runs the konnector, or the agent of kcp; `provider`: runs the service; `nobody`: it passes by itself, or is intended. */
export type ReasonActor = 'consumer' | 'operator' | 'provider' | 'nobody';

/** One reason of a condition, an Event, or both. */
export interface Reason {
  /** Stable CamelCase token: alerts and scripts match on it. */
  readonly reason: string;
  /** What is wrong, as text for a table cell: no final full stop, no line break. */
  readonly cause: string;
  readonly actor: ReasonActor;
  /** What the actor must do; begins with a verb. */
  readonly remedy: string;
  /** An Event also reports it, or only an Event does. */
  readonly event?: 'Warning' | 'Normal';
}

/** The reasons of one condition type; without a type, reasons without a condition. */
export interface ReasonGroup {
  /** Absent: there is no condition; Events or only `hawser why` report it. */
  readonly condition?: string;
  /** What the condition means; one or more whole sentences, in Markdown. */
  readonly meaning: string;
  readonly reasons: readonly Reason[];
}

/** One kind of object with all its reasons. */
export interface ReasonSubject {
  readonly kind: string;
  /** Heading in the documentation. */
  readonly title: string;
  /** Who writes it, and when; Markdown. */
  readonly intro: string;
  readonly groups: readonly ReasonGroup[];
}
