/** A core/v1 Event as sent. */
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

/** The changed fields of a repeated Event. */
export interface EventRepetition {
  readonly count: number;
  readonly lastTimestamp: string;
}

/**
 * Writes Events to one cluster. Rejects with an error whose `code` is `Forbidden` or `NotFound` if the namespace is
 * gone, terminating, or closed to us. The controller package has an implementation with a Client.
 */
export interface EventWriter {
  create(event: KubernetesEvent, namespace: string): Promise<void>;
  /** Sends a merge patch for the Event of that name. */
  patch(name: string, namespace: string, repetition: EventRepetition): Promise<void>;
}
