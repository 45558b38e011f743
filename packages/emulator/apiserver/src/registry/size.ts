import { type JsonObject, stringify } from '@hawser/json';
import { byteLength } from '../object/json.js';
import { StatusError } from '../status.js';

/** etcd's limit for one request; object and key count. */
const LIMIT = 1.5 * 1024 * 1024;

/** A larger message is not even sent to etcd. */
const MESSAGE_LIMIT = 2 * 1024 * 1024;

export function checkSize(object: JsonObject): void {
  // Measures only objects that may be too large: encoding each would cost as much as the write.
  if (roughSize(object) < LIMIT / 8) return;
  const size = byteLength(stringify(object));
  if (size > MESSAGE_LIMIT)
    throw new StatusError(
      500,
      '',
      `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${size} vs. ${MESSAGE_LIMIT})`,
    );
  if (size > LIMIT) throw new StatusError(500, '', 'etcdserver: request is too large');
}

function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 0;
  if (Array.isArray(value)) for (const child of value) size += roughSize(child) + 5;
  else
    for (const key of Object.keys(value))
      size += key.length + roughSize((value as Readonly<Record<string, unknown>>)[key]) + 4;
  return size;
}
