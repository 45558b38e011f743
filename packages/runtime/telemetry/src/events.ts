/** Which object an Event is about. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
}

/** One thing to tell about an object. Warnings say who must act and what to do. */
export interface EventMessage {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase token, stable: people alert on it. */
  readonly reason: string;
  /** One or two plain sentences. Never contains Secret data. */
  readonly message: string;
}

/**
 * Emits Kubernetes Events. Never blocks, never throws: an Event that cannot be written is logged and counted, nothing else.
 * Equal events about the same object are counted up in one Event rather than written again.
 */
export interface EventRecorder {
  record(regarding: ObjectReference, event: EventMessage): void;
  /** Resolves when everything recorded so far has been written or given up. */
  flush(): Promise<void>;
}

/** Records nothing. */
export const noEvents: EventRecorder = { record: () => undefined, flush: () => Promise.resolve() };
