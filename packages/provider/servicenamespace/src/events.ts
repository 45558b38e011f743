import type { ApiError } from '@hawser/client';
import type { EventMessage } from '@hawser/telemetry';

export function refusedEvent({ message }: ApiError): EventMessage {
  return {
    type: 'Warning',
    reason: 'NamespaceRefused',
    message: `The provider's API server refused a request: ${message}. The provider has to remove the cause; it is tried again.`,
  };
}

export function sharedEvent(namespace: string): EventMessage {
  return {
    type: 'Normal',
    reason: 'NamespaceShared',
    message: `Namespace "${namespace}" existed before and is used as it is, as isolation None has it and the provider allows: others may use it too.`,
  };
}

export function occupiedEvent(owner: string, by: string): EventMessage {
  return {
    type: 'Normal',
    reason: 'NamespaceKept',
    message: `APIServiceNamespace "${owner}" is gone; this namespace stays because it holds ${by}. It is deleted once it holds nothing, or used again if the APIServiceNamespace comes back.`,
  };
}
