import { describe, expect, it } from '@jest/globals';
import { redact } from './redact.js';

const plain = (value: unknown, stacks = false): unknown => JSON.parse(JSON.stringify(redact(value, { stacks })));

class ApiLikeError extends Error {
  override readonly name = 'ApiError';
  readonly code = 'Forbidden';
  readonly request = { cluster: 'provider', verb: 'get', resource: 'secrets' };
  get httpStatus(): number {
    return 403;
  }
}

describe('redact', () => {
  it('hides what lies under a key that names a secret, and shows what only refers to one', () => {
    expect(
      plain({
        token: 'a',
        clientSecret: 'b',
        'ca-data': 'c',
        Authorization: ['d'],
        kubeconfig: { e: 1 },
        db_password: 1,
        secretName: 'kubeconfig',
        secretRef: { namespace: 'n', name: 's', key: 'k' },
        tokenCount: 3,
        hasToken: true,
        token2: null,
      }),
    ).toEqual({
      token: '[redacted]',
      clientSecret: '[redacted]',
      'ca-data': '[redacted]',
      Authorization: '[redacted]',
      kubeconfig: '[redacted]',
      db_password: '[redacted]',
      secretName: 'kubeconfig',
      secretRef: { namespace: 'n', name: 's', key: 'k' },
      tokenCount: 3,
      hasToken: true,
      token2: null,
    });
  });

  it('takes the data from Secrets, also in lists, where items have no kind, and from the last-applied annotation', () => {
    const secret = {
      kind: 'Secret',
      metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x' } },
      data: { a: 'YQ==' },
      stringData: { b: 'b' },
      type: 'Opaque',
    };
    expect(plain(secret)).toEqual({
      kind: 'Secret',
      metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '[redacted]' } },
      data: '[redacted]',
      stringData: '[redacted]',
      type: 'Opaque',
    });
    expect(plain({ kind: 'SecretList', items: [{ metadata: { name: 's' }, data: { a: 'YQ==' } }] })).toEqual({
      kind: 'SecretList',
      items: [{ metadata: { name: 's' }, data: '[redacted]' }],
    });
    expect(plain({ kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } })).toEqual({
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a: 'b' },
    });
  });

  it('shows errors with code, request and causes, and the stack only if asked', () => {
    const error = new Error('sync failed', { cause: new ApiLikeError('no') });
    expect(plain({ error })).toEqual({
      error: {
        name: 'Error',
        message: 'sync failed',
        cause: {
          name: 'ApiError',
          message: 'no',
          code: 'Forbidden',
          httpStatus: 403,
          request: { cluster: 'provider', verb: 'get', resource: 'secrets' },
        },
      },
    });
    expect(plain({ error }, true)).toHaveProperty(['error', 'stack'], expect.stringContaining('redact.test'));
    expect(plain(new AggregateError([new Error('one')], 'several'))).toMatchObject({
      message: 'several',
      errors: [{ message: 'one' }],
    });
    expect(plain(AbortSignal.abort().reason)).toMatchObject({ name: 'AbortError' });
  });

  it('limits depth, width and total, and survives cycles and hostile objects', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    expect(JSON.stringify(redact(cycle, { stacks: false }))).toContain('[deep]');
    expect(plain(Array.from({ length: 30 }, (_, index) => index))).toHaveLength(21);
    expect(
      JSON.stringify(
        redact(
          Array.from({ length: 20 }, () =>
            Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, index])),
          ),
          { stacks: false },
        ),
      ).length,
    ).toBeLessThan(20_000);
    expect(
      plain({
        get bad() {
          throw new Error('no');
        },
      }),
    ).toBe('[unreadable]');
    expect(plain(Proxy.revocable({}, {}).proxy)).toEqual({});
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    expect(plain(revoked.proxy)).toBe('[unreadable]');
    const polluted = plain(JSON.parse('{"__proto__":{"token":"a","x":1}}')) as object;
    expect(Object.getOwnPropertyDescriptor(polluted, '__proto__')?.value).toEqual({ token: '[redacted]', x: 1 });
  });

  it('makes plain values of the rest', () => {
    expect(
      plain({
        date: new Date(0),
        bad: new Date(Number.NaN),
        big: 2n ** 63n,
        set: new Set([1]),
        map: new Map([
          ['token', 'x'],
          ['a', 'b'],
        ]),
        bytes: Buffer.from('secret'),
        nan: Number.NaN,
        f: () => 1,
        s: Symbol('x'),
        url: new URL('https://u:p@h/'),
      }),
    ).toEqual({
      date: '1970-01-01T00:00:00.000Z',
      bad: 'invalid date',
      big: '9223372036854775808',
      set: [1],
      map: { token: '[redacted]', a: 'b' },
      bytes: '[6 bytes]',
      nan: 'NaN',
      f: '[function]',
      s: '[symbol]',
      url: 'https://[redacted]@h/',
    });
  });
});
