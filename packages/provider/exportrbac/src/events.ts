import type { EventMessage } from '@hawser/telemetry';
import type { BackendObject } from './backend-rights.js';

export function removedEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Normal',
    reason: 'BackendRightsRemoved',
    message: `${kind} "${object.metadata.name}" of another backend is removed: it gave consumers rights on each other's objects. Each has its own bindings now.`,
  };
}

export function keptEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Warning',
    reason: 'BackendRightsKept',
    message: `${kind} "${object.metadata.name}" has the name or the label of what another backend makes for all consumers together, but was not made by it. It stays. The provider has to find out whom it gives what, and to remove it.`,
  };
}

export function runningEvent({ kind, object }: BackendObject): EventMessage {
  return {
    type: 'Warning',
    reason: 'BackendStillRunning',
    message: `${kind} "${object.metadata.name}" was removed and is back: another backend still runs and gives consumers rights on each other's objects. The provider has to stop it.`,
  };
}

export function refusedEvent(message: string): EventMessage {
  return {
    type: 'Warning',
    reason: 'RightsRefused',
    message: `The provider's API server refused a request that was to change rights of consumers: ${message}. The provider has to remove the cause; it is tried again.`,
  };
}
