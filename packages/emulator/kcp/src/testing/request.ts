import { type JsonValue, parse, stringify } from '@hawser/json';
import { type Kcp, kcpAdministrator } from '../create-kcp.js';

export interface Answered {
  readonly status: number;
  /** Text that is not JSON stays a string. */
  readonly body: JsonValue;
}

export interface RequestOptions {
  readonly contentType?: string;
  readonly token?: string;
}

/** One request on the direct transport, as administrator unless a token says otherwise. */
export function request(
  kcp: Kcp,
  method: string,
  path: string,
  body?: JsonValue,
  { contentType = 'application/json', token }: RequestOptions = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    kcp.handle(
      {
        method,
        path,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': contentType }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: stringify(body) }),
        ...(token === undefined ? { user: kcpAdministrator } : {}),
      },
      {
        head: (code) => {
          status = code;
        },
        data: (chunk) => {
          text += chunk;
        },
        end: () => {
          resolve({ status, body: parsed(text) });
        },
        fail: reject,
      },
    );
  });
}

export function parsed(text: string): JsonValue {
  try {
    return parse(text);
  } catch {
    return text;
  }
}
