import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseSecretKubeconfig } from './secret-kubeconfig.js';

const TOKEN = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IlVXWFlaIn0';

const valid = stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'https://provider.example.com:6443', 'tls-server-name': 'provider' } }],
  users: [{ name: 'u', user: { token: TOKEN } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'kube-bind-abc' } }],
  'current-context': 'x',
});

/** What somebody could do to a file, byte by byte. */
const edit = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bits: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), length: fc.nat({ max: 80 }) }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), length: fc.nat({ max: 80 }) }),
);

function apply(bytes: Buffer, edits: readonly (typeof edit extends fc.Arbitrary<infer T> ? T : never)[]): Buffer {
  return edits.reduce((current, change) => {
    const at = current.length === 0 ? 0 : change.at % current.length;
    const before = current.subarray(0, at);
    const after = current.subarray(at);
    switch (change.kind) {
      case 'flip':
        return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ change.bits]), after.subarray(1)]);
      case 'cut':
        return Buffer.concat([before, after.subarray(change.length)]);
      case 'insert':
        return Buffer.concat([before, change.bytes, after]);
      case 'repeat':
        return Buffer.concat([before, after.subarray(0, change.length), after]);
    }
  }, bytes);
}

/** Whatever comes in: no exception, nothing that runs programs or reads files, and nothing of it in what is said about it. */
function check(input: Uint8Array | string): void {
  const result = parseSecretKubeconfig(input);
  if (result.ok) {
    expect(result.connection.server).toMatch(/^https:\/\//iu);
    expect(result.namespace).not.toBe('');
    expect(['token', 'certificate']).toContain(result.connection.credentials.kind);
    expect(result.connection.insecureSkipTlsVerify ?? false).toBe(false);
    expect(result.connection.proxyUrl).toBeUndefined();
    return;
  }
  expect(result.problems.length).toBeGreaterThan(0);
  for (const { message } of result.problems) {
    expect(message).not.toBe('');
    for (let start = 0; start + 8 <= TOKEN.length; start++)
      expect(message).not.toContain(TOKEN.slice(start, start + 8));
  }
}

describe('a kubeconfig that somebody else wrote', () => {
  it('is read when nothing is done to it', () => {
    expect(parseSecretKubeconfig(valid).ok).toBe(true);
  });

  it('may have been damaged in any byte', () => {
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
        check(apply(Buffer.from(valid), edits));
      }),
      { numRuns: 1_500 },
    );
  });

  it('may be any bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), check), { numRuns: 500 });
  });

  it('may be any YAML', () => {
    const names = [
      'clusters',
      'users',
      'contexts',
      'current-context',
      'cluster',
      'user',
      'context',
      'name',
      'server',
      'token',
      'exec',
      'namespace',
      'x',
      'c',
      'u',
      '__proto__',
      'constructor',
    ];
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        fc.constantFrom<unknown>(
          'x',
          'c',
          'u',
          '',
          'https://a',
          'http://a',
          'file:///etc/passwd',
          null,
          true,
          0,
          -1,
          1e308,
          9007199254740993n,
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(value, (document) => {
        check(stringify(document));
      }),
      { numRuns: 1_000 },
    );
  });

  it('may refer to itself', () => {
    check('a: &a [*a]\ncurrent-context: x\n');
    check(
      'clusters: &c\n- name: c\n  cluster: {server: "https://a", clusters: *c}\nusers: *c\ncontexts: *c\ncurrent-context: c\n',
    );
    check(`${'&a [*a, '.repeat(50)}${']'.repeat(50)}`);
    check(
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map(
          (letter, index) =>
            `${letter}: &${letter} [${Array.from({ length: 9 }, () => `*${'abcdefghi'[index] ?? 'a'}`).join(',')}]`,
        )
        .join('\n')}\n`,
    );
  });
});
