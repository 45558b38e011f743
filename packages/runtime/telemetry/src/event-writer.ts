/** A core/v1 Event as it is sent. */
export interface KubernetesEvent {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
}

/** What changes when an Event happens again. */
export interface EventRepetition {
  readonly count: number;
  readonly lastTimestamp: string;
}

/**
 * Writes Events to one cluster. Rejects with an error whose `code` is `Forbidden` or `NotFound` if the namespace is gone, going, or closed to us.
 * The controller package has one over a Client.
 */
export interface EventWriter {
  create(event: KubernetesEvent, namespace: string): Promise<void>;
  /** A merge patch of the Event of that name. */
  patch(name: string, namespace: string, repetition: EventRepetition): Promise<void>;
}
