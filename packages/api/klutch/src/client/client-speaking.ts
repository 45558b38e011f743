import type { Client } from '@hawser/client';
import type { Dialect } from '@hawser/kube-bind';
import { createKlutchClient } from './klutch-client.js';

/** Client that finds kinds of kube-bind in any dialect of the cluster. */
export function clientSpeaking(dialect: Dialect, client: Client): Client {
  return dialect.schema === 'Inline' ? createKlutchClient(client) : client;
}
