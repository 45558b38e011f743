import { type JsonObject, type JsonValue, parse } from '@hawser/json';
import { badRequest } from '../status.js';
import { messageOf, messages } from './protobuf-messages.js';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** `k8s` and a zero: the first bytes of every body. */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/**
 * Decodes a request body in Kubernetes' protobuf envelope, which typed clients of built-in kinds send, kubectl among
 * them. Undefined for an unknown kind. Answers are always JSON, which these clients accept. Throws 400 for a malformed
 * body.
 */
export function fromProtobuf(body: Uint8Array): JsonObject | undefined {
  const bytes = Buffer.from(body);
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  const envelope = fieldsOf(bytes.subarray(MAGIC.length));
  const type = fieldsOf(bytesAt(envelope, 1));
  const apiVersion = bytesAt(type, 1).toString('utf8');
  const kind = bytesAt(type, 2).toString('utf8');
  const message = messageOf[`${apiVersion}/${kind}`];
  return message === undefined ? undefined : { apiVersion, kind, ...decode(message, bytesAt(envelope, 2)) };
}

type Wire = bigint | Buffer;

interface WireField {
  readonly number: number;
  readonly value: Wire;
}

function fieldsOf(bytes: Buffer): readonly WireField[] {
  const fields: WireField[] = [];
  let position = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[position++];
      if (byte === undefined || shift > 63n) throw badRequest('unexpected EOF');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (position + length > bytes.length) throw badRequest('unexpected EOF');
    position += length;
    return bytes.subarray(position - length, position);
  };
  while (position < bytes.length) {
    const tag = Number(varint());
    const wireType = tag & 7;
    const number = tag >>> 3;
    if (wireType === 0) fields.push({ number, value: varint() });
    else if (wireType === 2) fields.push({ number, value: take(Number(varint())) });
    else if (wireType === 1 || wireType === 5) fields.push({ number, value: take(wireType === 1 ? 8 : 4) });
    else throw badRequest(`proto: illegal wireType ${wireType}`);
  }
  return fields;
}

function bytesAt(fields: readonly WireField[], number: number): Buffer {
  const value = fields.findLast((each) => each.number === number)?.value;
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function decode(message: string, bytes: Buffer): JsonObject {
  const definition = messages[message] ?? {};
  const result = new Map<string, JsonValue>();
  for (const { number, value } of fieldsOf(bytes)) {
    const known = definition[number];
    if (known === undefined) continue;
    const [name, type] = known;
    if (type.startsWith('*')) {
      const list = result.get(name);
      result.set(name, [...(Array.isArray(list) ? (list as readonly JsonValue[]) : []), valueOf(type.slice(1), value)]);
    } else if (type.startsWith('%') && Buffer.isBuffer(value)) {
      const entry = fieldsOf(value);
      const key = bytesAt(entry, 1).toString('utf8');
      result.set(
        name,
        Object.fromEntries([
          ...Object.entries((result.get(name) ?? {}) as JsonObject),
          [key, valueOf(type.slice(1), bytesAt(entry, 2))],
        ]),
      );
    } else {
      result.set(name, valueOf(type, value));
    }
  }
  return Object.fromEntries(result);
}

function valueOf(type: string, value: Wire): JsonValue {
  if (!Buffer.isBuffer(value)) {
    if (type === 'bool') return value !== 0n;
    const signed = BigInt.asIntN(64, value);
    return signed >= BigInt(Number.MIN_SAFE_INTEGER) && signed <= BigInt(Number.MAX_SAFE_INTEGER)
      ? Number(signed)
      : signed;
  }
  switch (type) {
    case 'string':
      return value.toString('utf8');
    case 'bytes':
      return value.toString('base64');
    case 'meta.Time':
    case 'meta.MicroTime':
      return timeOf(value, type === 'meta.MicroTime');
    case 'meta.FieldsV1':
      return parse(bytesAt(fieldsOf(value), 1).toString('utf8'));
    case 'authentication.ExtraValue':
    case 'authorization.ExtraValue':
      return fieldsOf(value).map((field) => (Buffer.isBuffer(field.value) ? field.value.toString('utf8') : ''));
    default:
      return decode(type, value);
  }
}

/** An unset time has no seconds. */
function timeOf(bytes: Buffer, micro: boolean): JsonValue {
  const fields = fieldsOf(bytes);
  const number = (wanted: number): number => {
    const value = fields.find((field) => field.number === wanted)?.value;
    return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
  };
  if (fields.length === 0 || number(1) < -62_000_000_000) return null;
  const seconds = new Date(number(1) * 1000).toISOString().slice(0, 19);
  return micro ? `${seconds}.${String(Math.floor(number(2) / 1000)).padStart(6, '0')}Z` : `${seconds}Z`;
}
