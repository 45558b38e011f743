import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LogFormat } from './log-line.js';
import type { LogFields, LogLevel } from './logger.js';
import { createLogger } from './winston-logger.js';

function capture(level: LogLevel = 'info', format: LogFormat = 'json') {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      lines.push(chunk.toString());
      callback();
    },
  });
  return { lines, logger: createLogger({ level, format, stream, now: () => 0 }) };
}

describe('a logger', () => {
  it('writes a line of JSON', () => {
    const { lines, logger } = capture();
    logger.info('A thing happened.', { name: 'x', level: 'mine', error: new Error('no') });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\n$/);
    expect(JSON.parse(lines[0]!)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'info',
      message: 'A thing happened.',
      name: 'x',
      level_: 'mine',
      error: { name: 'Error', message: 'no' },
    });
  });

  it('writes a line of text that cannot be forged', () => {
    const { lines, logger } = capture('info', 'text');
    logger.warn('A thing\nhappened.', {
      object: 'default/x',
      note: 'two words\u001b[31m\n1970 INFO forged',
      missing: undefined,
      list: [1, 'a b'],
    });
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z WARN  A thing happened. object=default/x note="two words\\u001b[31m\\n1970 INFO forged" list=[1,"a b"]\n',
    ]);
  });

  it('writes nothing below its level, and does not look at the fields then', () => {
    const { lines, logger } = capture('warn');
    const fields = {
      get costly(): string {
        throw new Error('looked');
      },
    };
    logger.info('a', fields);
    logger.debug('b', fields);
    logger.error('c');
    expect(lines).toHaveLength(1);
    expect(['error', 'warn', 'info', 'debug'].map((level) => logger.isEnabled(level as LogLevel))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('adds the fields of a child', () => {
    const { lines, logger } = capture();
    logger
      .child({ controller: 'sync', token: 'abc' })
      .child({ cluster: 'provider' })
      .info('x', { controller: 'other' });
    expect(JSON.parse(lines[0]!)).toMatchObject({ controller: 'other', cluster: 'provider', token: '[redacted]' });
  });

  it('shows stacks at debug only', () => {
    const at = (level: LogLevel): string => {
      const { lines, logger } = capture(level);
      logger.error('x', { error: new Error('no') });
      return lines[0]!;
    };
    expect(at('debug')).toContain('winston-logger.test');
    expect(at('info')).not.toContain('winston-logger.test');
  });
});

const base64url = fc.string({
  unit: fc.constantFrom(...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')),
  minLength: 24,
  maxLength: 60,
});

/** A secret as text that is known by its shape wherever it stands; `core` must never be seen. */
const shaped = fc.tuple(base64url, fc.integer({ min: 0, max: 10 })).map(([core, shape]) => {
  const encoded = Buffer.from(core).toString('base64');
  const texts = [
    `eyJhbGciOiJSUzI1NiJ9.${core}.${core}`,
    `Bearer ${core}`,
    `-----BEGIN EC PRIVATE KEY-----\n${core}\n-----END EC PRIVATE KEY-----`,
    Buffer.from(`-----BEGIN PRIVATE KEY-----\n${core}`).toString('base64'),
    `https://admin:${core}@db.example.com/`,
    `password=${core}`,
    `{"clientSecret": "${core}"}`,
    `\ntoken: ${core}\n`,
    `apiVersion: v1\ndata:\n  key: ${encoded}\nkind: Secret`,
    JSON.stringify({ kind: 'Secret', data: { key: encoded } }),
    `kind: Config\nusers:\n- user:\n    exec:\n      args: [${core}]`,
  ];
  return { text: texts[shape]!, cores: [core, encoded, Buffer.from(core).toString('base64').slice(0, 20)] };
});
const noise = fc.string({ maxLength: 20 });

/** The text that JavaScript makes of a value, if it can: an object with a field `toString` has none. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'no text';
  }
}

/** Puts a value somewhere into a tree of objects, lists, maps, errors and keys. */
const wrap = fc.array(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.string({ maxLength: 8 })), { maxLength: 5 });
function wrapped(value: unknown, layers: readonly (readonly [number, string])[]): unknown {
  return layers.reduce((inner: unknown, [layer, key]) => {
    switch (layer) {
      case 0:
        return [key, inner];
      case 1:
        return new Map([[key, inner]]);
      case 2:
        return new Error(textOf(inner));
      case 3:
        return new Error(key, { cause: inner });
      case 4:
        return new Set([inner]);
      case 5:
        return typeof inner === 'string' ? { [inner]: key } : { [key]: inner };
      case 6:
        return Object.assign(new Error(key), { code: inner });
      default:
        return { other: 1, [key]: inner };
    }
  }, value);
}

function logged(format: LogFormat, level: LogLevel, message: string, fields: LogFields): string {
  const { lines, logger } = capture(level, format);
  logger.child(fields).error(message, fields);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe('secrets never reach a log', () => {
  const format = fc.constantFrom<LogFormat>('json', 'text');
  const level = fc.constantFrom<LogLevel>('debug', 'info');

  it('whatever text they stand in, wherever it is', () => {
    fc.assert(
      fc.property(shaped, noise, noise, wrap, format, level, (secret, before, after, layers, how, at) => {
        const text = `${before}${secret.text}${after}`;
        const out = logged(how, at, 'x', { field: wrapped(text, layers) }) + logged(how, at, text, {});
        for (const core of secret.cores) expect(out).not.toContain(core);
      }),
      { numRuns: 300 },
    );
  });

  it('whatever they are, under a key that names them or in a Secret', () => {
    const key = fc.constantFrom(
      'token',
      'id_token',
      'Password',
      'dbPasswd',
      'clientSecret',
      'secret',
      'authorization',
      'Set-Cookie',
      'kubeconfig',
      'caData',
      'certificate-authority-data',
      'client-key-data',
      'privateKey',
      'apiKey',
      'stringData',
      'credentials',
    );
    const holder = fc.oneof(
      key.map((name) => (value: unknown): unknown => ({ [name]: value })),
      fc.constantFrom('data', 'stringData').map((name) => (value: unknown): unknown => ({
        kind: 'Secret',
        apiVersion: 'v1',
        metadata: { name: 'x' },
        [name]: { k: value },
      })),
      fc.constant((value: unknown): unknown => ({
        kind: 'SecretList',
        items: [{ metadata: { name: 'x' }, data: { k: value } }],
      })),
      fc.constant((value: unknown): unknown => ({
        kind: 'Secret',
        metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } },
      })),
    );
    // Only layers that keep the value an object: as text it is another test's business.
    const layers = fc.array(fc.tuple(fc.constantFrom(0, 1, 3, 4, 7), fc.string({ maxLength: 8 })), { maxLength: 3 });
    fc.assert(
      fc.property(base64url, holder, layers, layers, format, level, (core, hold, inside, outside, how, at) => {
        const out = logged(how, at, 'x', { field: wrapped(hold(wrapped(core, inside)), outside) });
        expect(out).not.toContain(core);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the cost of a logger', () => {
  it('is next to nothing for a line that is not written', () => {
    const { logger } = capture('info');
    const cpu = (level: 'info' | 'debug', lines: number): number => {
      const start = process.cpuUsage();
      for (let i = 0; i < lines; i++)
        logger[level]('An object was synced.', { namespace: 'default', name: 'x', generation: i });
      return process.cpuUsage(start).user / lines;
    };
    cpu('info', 1_000);
    expect(cpu('debug', 100_000)).toBeLessThan(cpu('info', 10_000) / 3);
  });
});
