/** The object of an Event. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

/** One message about an object. Warnings say who must act and what to do. */
export interface EventMessage {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase token, stable: people alert on it. */
  readonly reason: string;
  /** One or two plain sentences. Never contains Secret data. */
  readonly message: string;
}

/**
 * Emits Kubernetes Events. Never blocks or throws: an Event that cannot be written is only logged and counted. Equal
 * events about one object are counted in one Event.
 */
export interface EventRecorder {
  record(regarding: ObjectReference, event: EventMessage): void;
  /** Resolves when everything recorded so far has been written or given up. */
  flush(): Promise<void>;
}

/** Records nothing. */
export const noEvents: EventRecorder = { record: () => undefined, flush: () => Promise.resolve() };
