import type { Client } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import { createKlutchClient } from './klutch-client.js';

/** A client in which kinds of kube-bind are found whatever the cluster speaks. */
export function clientSpeaking(dialect: Dialect, client: Client): Client {
  return dialect.schema === 'Inline' ? createKlutchClient(client) : client;
}
