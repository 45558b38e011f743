import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createCertificateAuthority, roughEdge } from '@hawser/testenv';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type KubeconfigPolicy, type KubeconfigProblemCode, connectionHash, parseSecretKubeconfig } from './index.js';

const { cert, key, otherKey } = await makePair();
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const CA = base64(cert);
const TOKEN = 'the-secret-token';

type Parts = Record<'root' | 'context' | 'cluster' | 'user', Record<string, unknown>>;

/** A good kubeconfig, with these keys changed; `undefined` removes one. */
function kubeconfig(change: Partial<Parts> = {}): string {
  const { cluster = {}, user = {}, context = {}, root = {} } = change;
  return stringify(
    JSON.parse(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'here',
        contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'cluster-abc', ...context } }],
        clusters: [
          {
            name: 'c',
            cluster: { server: 'https://provider.example.com:6443', 'certificate-authority-data': CA, ...cluster },
          },
        ],
        users: [{ name: 'u', user: { token: TOKEN, ...user } }],
        ...root,
      }),
    ),
    { lineWidth: 0 },
  );
}

roughEdge('R37', 'a kubeconfig from a Secret runs no program', () => {
  expect(parseSecretKubeconfig(kubeconfig({ user: { exec: { command: 'sh' } } })).ok).toBe(false);
});

describe('parseSecretKubeconfig', () => {
  it('has the namespace that is given where its context names none', () => {
    expect(
      parseSecretKubeconfig(kubeconfig({ context: { namespace: undefined } }), { defaultNamespace: 'default' }),
    ).toMatchObject({ ok: true, namespace: 'default' });
    expect(parseSecretKubeconfig(kubeconfig(), { defaultNamespace: 'default' })).toMatchObject({
      ok: true,
      namespace: 'cluster-abc',
    });
  });

  it('reads server, authority, token and namespace', () => {
    const expected = {
      ok: true,
      namespace: 'cluster-abc',
      connection: {
        server: 'https://provider.example.com:6443',
        caData: cert,
        credentials: { kind: 'token', token: TOKEN },
        namespace: 'cluster-abc',
      },
    };
    expect(parseSecretKubeconfig(kubeconfig())).toEqual(expected);
    expect(parseSecretKubeconfig(Buffer.from(kubeconfig()))).toEqual(expected);
    expect(parseSecretKubeconfig(Buffer.from(`\uFEFF${kubeconfig()}`))).toEqual(expected);
    expect(
      parseSecretKubeconfig(
        JSON.stringify(
          {
            'current-context': 'here',
            contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'cluster-abc' } }],
            clusters: [
              { name: 'c', cluster: { server: 'https://provider.example.com:6443', 'certificate-authority-data': CA } },
            ],
            users: [{ name: 'u', user: { token: TOKEN } }],
          },
          null,
          '\t',
        ),
      ),
    ).toEqual(expected);
  });

  it('reads a client certificate, alone and beside a token', async () => {
    const pair = { 'client-certificate-data': CA, 'client-key-data': base64(key) };
    expect(parseSecretKubeconfig(kubeconfig({ user: { token: undefined, ...pair } }))).toMatchObject({
      ok: true,
      connection: { credentials: { kind: 'certificate', cert, key } },
    });
    const both = parseSecretKubeconfig(kubeconfig({ user: pair }));
    expect(both).toMatchObject({ ok: true, connection: { credentials: { kind: 'dynamic', cert, key } } });
    if (!both.ok || both.connection.credentials.kind !== 'dynamic') throw new Error('not dynamic');
    expect(await both.connection.credentials.headers()).toEqual({ authorization: `Bearer ${TOKEN}` });
  });

  it("reads a TLS server name, a server with a path, and no authority: the system's", () => {
    const read = parseSecretKubeconfig(
      kubeconfig({
        cluster: {
          server: 'https://kcp.example.com/clusters/root:org',
          'certificate-authority-data': undefined,
          'tls-server-name': 'inner.example.com',
        },
      }),
    );
    expect(read).toEqual({
      ok: true,
      namespace: 'cluster-abc',
      connection: {
        server: 'https://kcp.example.com/clusters/root:org',
        tlsServerName: 'inner.example.com',
        credentials: { kind: 'token', token: TOKEN },
        namespace: 'cluster-abc',
      },
    });
  });

  it('takes what the operator allows', () => {
    const proxied = kubeconfig({ cluster: { 'proxy-url': 'http://proxy.example.com:3128' } });
    expect(parseSecretKubeconfig(proxied, { allowProxyUrl: true })).toMatchObject({
      ok: true,
      connection: { proxyUrl: 'http://proxy.example.com:3128' },
    });
    const insecure = parseSecretKubeconfig(kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } }), {
      allowInsecureSkipTlsVerify: true,
    });
    expect(insecure).toMatchObject({ ok: true, connection: { insecureSkipTlsVerify: true } });
    expect(insecure).not.toHaveProperty('connection.caData');
  });

  it('looks at nothing but the current context', () => {
    const text = kubeconfig({
      root: {
        contexts: [
          { name: 'other', context: { cluster: 'evil', user: 'evil' } },
          { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'n' } },
          { name: 'other' },
        ],
        users: [
          { name: 'evil', user: { exec: { command: 'rm' } } },
          { name: 'u', user: { token: TOKEN } },
        ],
        clusters: [
          { name: 'evil', cluster: { server: 'http://x', 'certificate-authority': '/etc/passwd' } },
          { name: 'c', cluster: { server: 'https://x' } },
        ],
      },
    });
    expect(parseSecretKubeconfig(text)).toMatchObject({ ok: true, connection: { server: 'https://x' } });
  });

  it.each<[string, string | Uint8Array, readonly KubeconfigProblemCode[], KubeconfigPolicy?]>([
    ['nothing', '', ['Empty']],
    ['white space', ' \n\t ', ['Empty']],
    ['a comment', '# nothing here', ['Empty']],
    ['YAML null', 'null', ['Empty']],
    ['a word', 'kubeconfig', ['NotKubeconfig']],
    ['a list', '- a', ['NotKubeconfig']],
    ['lists that are none', 'clusters: 5', ['NotKubeconfig']],
    ['entries that are none', 'current-context: a\nusers: [a]', ['NotKubeconfig']],
    ['no YAML', 'a: [', ['NotYaml']],
    ['a key twice', 'current-context: a\ncurrent-context: b', ['NotYaml']],
    ['bytes that are no text', Uint8Array.of(0xff, 0xfe, 0x00), ['NotYaml']],
    ['several documents', 'a: 1\n---\nb: 2', ['NotYaml']],
    ['a YAML bomb', bomb(), ['NotYaml']],
    ['deep nesting', '['.repeat(3_000), ['NotYaml']],
    ['too many entries', 'a: b\n'.repeat(10_000), ['TooLarge']],
    ['too many bytes', `a: ${'b'.repeat(300_000)}`, ['TooLarge']],
    ['no current context', kubeconfig({ root: { 'current-context': '' } }), ['NoCurrentContext']],
    ['a current context that is a number', kubeconfig({ root: { 'current-context': 5 } }), ['NoCurrentContext']],
    ['a current context that is not there', kubeconfig({ root: { 'current-context': 'there' } }), ['ContextMissing']],
    ['no contexts', kubeconfig({ root: { contexts: null } }), ['ContextMissing']],
    [
      'two contexts of the name',
      kubeconfig({ root: { contexts: [{ name: 'here' }, { name: 'here' }] } }),
      ['DuplicateName'],
    ],
    [
      'two users of the name',
      kubeconfig({
        root: {
          users: [
            { name: 'u', user: { token: 'a' } },
            { name: 'u', user: { token: 'b' } },
          ],
        },
      }),
      ['DuplicateName'],
    ],
    [
      'an empty context',
      kubeconfig({ root: { contexts: [{ name: 'here', context: null }] } }),
      ['NamespaceMissing', 'ClusterMissing', 'UserMissing'],
    ],
    ['no namespace', kubeconfig({ context: { namespace: undefined } }), ['NamespaceMissing']],
    ['an empty namespace', kubeconfig({ context: { namespace: '' } }), ['NamespaceMissing']],
    ['a namespace that climbs', kubeconfig({ context: { namespace: '../../kube-system' } }), ['NamespaceInvalid']],
    ['a namespace too long', kubeconfig({ context: { namespace: 'a'.repeat(64) } }), ['NamespaceInvalid']],
    ['a cluster that is not there', kubeconfig({ context: { cluster: 'd' } }), ['ClusterMissing']],
    ['a user that is not there', kubeconfig({ context: { user: 'v' } }), ['UserMissing']],
    ['no user', kubeconfig({ context: { user: undefined } }), ['UserMissing']],
    ['no server', kubeconfig({ cluster: { server: undefined } }), ['ServerMissing']],
    ['an http server', kubeconfig({ cluster: { server: 'http://provider.example.com' } }), ['ServerNotHttps']],
    ['a server without scheme', kubeconfig({ cluster: { server: 'provider.example.com' } }), ['ServerNotHttps']],
    ['a server that is a file', kubeconfig({ cluster: { server: 'file:///etc/passwd' } }), ['ServerInvalid']],
    ['a server without slashes', kubeconfig({ cluster: { server: 'https:provider.example.com' } }), ['ServerInvalid']],
    ['a server with one slash', kubeconfig({ cluster: { server: 'https:./provider.example.com' } }), ['ServerInvalid']],
    [
      'a server with a password',
      kubeconfig({ cluster: { server: 'https://me:secret@provider.example.com' } }),
      ['ServerInvalid'],
    ],
    [
      'a server with a query',
      kubeconfig({ cluster: { server: 'https://provider.example.com?a=b' } }),
      ['ServerInvalid'],
    ],
    ['a server that is not a URL', kubeconfig({ cluster: { server: 'https://' } }), ['ServerInvalid']],
    ['an authority file', kubeconfig({ cluster: { 'certificate-authority': '/etc/ca.crt' } }), ['FileReference']],
    [
      'an authority that is not base64',
      kubeconfig({ cluster: { 'certificate-authority-data': '$$$' } }),
      ['CertificateAuthorityInvalid'],
    ],
    [
      'an authority that is not a certificate',
      kubeconfig({ cluster: { 'certificate-authority-data': base64('hello') } }),
      ['CertificateAuthorityInvalid'],
    ],
    [
      'an authority that is broken',
      kubeconfig({ cluster: { 'certificate-authority-data': base64(cert.replace('MII', 'XXX')) } }),
      ['CertificateAuthorityInvalid'],
    ],
    ['no verification', kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } }), ['InsecureSkipTlsVerify']],
    [
      'no verification, as a word',
      kubeconfig({ cluster: { 'insecure-skip-tls-verify': 'yes' } }),
      ['InsecureSkipTlsVerify'],
    ],
    ['a TLS name that is none', kubeconfig({ cluster: { 'tls-server-name': 'a b' } }), ['TlsServerNameInvalid']],
    ['a proxy', kubeconfig({ cluster: { 'proxy-url': 'http://proxy' } }), ['ProxyUrl']],
    [
      'a proxy that is none',
      kubeconfig({ cluster: { 'proxy-url': 'ftp://proxy' } }),
      ['ProxyUrlInvalid'],
      { allowProxyUrl: true },
    ],
    ['a program', kubeconfig({ user: { token: undefined, exec: { command: 'sh' } } }), ['Exec']],
    ['a program beside a token', kubeconfig({ user: { exec: { command: 'sh' } } }), ['Exec']],
    [
      'an auth provider',
      kubeconfig({ user: { 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'sh' } } } }),
      ['AuthProvider'],
    ],
    ['a token file', kubeconfig({ user: { token: undefined, tokenFile: '/var/run/token' } }), ['FileReference']],
    ["client-node's token file", kubeconfig({ user: { 'token-file': '/var/run/token' } }), ['FileReference']],
    [
      'a certificate file',
      kubeconfig({ user: { 'client-certificate': 'a.crt', 'client-key-data': base64(key) } }),
      ['FileReference', 'CredentialsInvalid'],
    ],
    ['a key file', kubeconfig({ user: { 'client-key': 'a.key' } }), ['FileReference']],
    ['impersonation', kubeconfig({ user: { as: 'admin' } }), ['Impersonation']],
    ['impersonation of groups', kubeconfig({ user: { 'as-groups': ['system:masters'] } }), ['Impersonation']],
    ['a password', kubeconfig({ user: { token: undefined, username: 'me', password: 'secret' } }), ['BasicAuth']],
    ['no credentials', kubeconfig({ user: { token: undefined } }), ['CredentialsMissing']],
    ['no credentials at all', kubeconfig({ root: { users: [{ name: 'u' }] } }), ['CredentialsMissing']],
    ['a token of two lines', kubeconfig({ user: { token: 'a\nb: c' } }), ['CredentialsInvalid']],
    ['a token that is a number', kubeconfig({ user: { token: 5 } }), ['CredentialsInvalid']],
    ['a certificate without key', kubeconfig({ user: { 'client-certificate-data': CA } }), ['CredentialsInvalid']],
    [
      'a key of another certificate',
      kubeconfig({ user: { 'client-certificate-data': CA, 'client-key-data': base64(otherKey) } }),
      ['CredentialsInvalid'],
    ],
    [
      'everything at once',
      kubeconfig({
        context: { namespace: '' },
        cluster: { server: 'http://x', 'proxy-url': 'http://x' },
        user: { exec: {}, as: 'x', token: '' },
      }),
      ['NamespaceMissing', 'ServerNotHttps', 'ProxyUrl', 'Exec', 'Impersonation'],
    ],
  ])('refuses %s', (_name, text, codes, ...policy) => {
    const read = parseSecretKubeconfig(text, ...policy);
    if (read.ok) throw new Error('accepted');
    expect(read.problems.map(({ code }) => code)).toEqual(codes);
    for (const { message } of read.problems) expect(message).toMatch(/^[A-Z].*\.$/u);
  });

  it('quotes nothing that may be a secret', () => {
    const secrets = ['s3cr3t-one', 's3cr3t-two'];
    for (const at of ['root', 'context', 'cluster', 'user'] as const) {
      for (const field of [
        'current-context',
        'namespace',
        'cluster',
        'user',
        'server',
        'certificate-authority',
        'certificate-authority-data',
        'tls-server-name',
        'proxy-url',
        'insecure-skip-tls-verify',
        'exec',
        'token',
        'tokenFile',
        'as',
        'username',
        'password',
        'client-key-data',
        'contexts',
      ]) {
        for (const value of [
          secrets[0],
          { [secrets[0]!]: secrets[1] },
          [secrets[1]],
          `${secrets[0]!}\n${secrets[1]!}`,
        ]) {
          expect(JSON.stringify(problemsOf(kubeconfig({ [at]: { [field]: value } })))).not.toContain('s3cr3t');
        }
      }
    }
    for (const text of [
      'a: s3cr3t: b',
      '{"token": "s3cr3t"',
      '!s3cr3t x',
      '*s3cr3t',
      '%s3cr3t',
      's3cr3t: &a *b',
      '"s3cr3t',
    ])
      expect(JSON.stringify(problemsOf(text))).not.toContain('s3cr3t');
  });

  it('says where the YAML is wrong', () => {
    expect(problemsOf('a: b\nc: [')).toEqual([
      { code: 'NotYaml', message: 'The value is not YAML (line 2, column 5).' },
    ]);
  });

  it('never throws and never accepts nonsense, whatever the text', () => {
    const good = kubeconfig();
    const fragment = fc.constantFrom(
      ...good.split(/(?=[\n: ])/u),
      '&a ',
      '*a',
      '!!binary ',
      '<<: ',
      '? ',
      '| ',
      '{',
      '}',
      '[',
      ']',
      '__proto__: ',
      'constructor: ',
      '\0',
      '\u2028',
      '\ud800',
      '---',
      '...',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 500 }),
          fc.array(fragment, { maxLength: 80 }).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(typeof parseSecretKubeconfig(text).ok).toBe('boolean');
        },
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(parseSecretKubeconfig(bytes).ok).toBe(false);
      }),
    );
    fc.assert(
      fc.property(
        fc.jsonValue({ depthSize: 'large' }),
        fc.constantFrom('root', 'context', 'cluster', 'user'),
        fc.constantFrom(
          'contexts',
          'users',
          'clusters',
          'current-context',
          'server',
          'token',
          'exec',
          'namespace',
          '__proto__',
        ),
        (value, at, field) => {
          const read = parseSecretKubeconfig(kubeconfig({ [at]: { [field]: value } }));
          if (read.ok) {
            expect(read.connection.server).toMatch(/^https:/u);
            expect(read.namespace).not.toBe('');
          } else {
            expect(read.problems.length).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    ['quoted strings', '"" '.repeat(80_000)],
    ['tags', '!a '.repeat(80_000)],
    ['maps', '{a: '.repeat(50_000)],
    ['lists', '- '.repeat(100_000)],
    ['comments', '#\n'.repeat(100_000)],
    ['aliases', `a: &a x\nb: [${'*a,'.repeat(1_900)}]`],
    ['anchors', Array.from({ length: 550 }, (_, index) => `- &a${index} x\n- *a${index}`).join('\n')],
    ['keys', Array.from({ length: 1_900 }, (_, index) => `k${index}:`).join('\n')],
  ])('is done in time with a text made of %s', (_name, text) => {
    const started = performance.now();
    parseSecretKubeconfig(text);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('connectionHash', () => {
  it('is the SHA-256 of the bytes', () => {
    expect(connectionHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(connectionHash(Buffer.from('abc'))).toBe(connectionHash('abc'));
  });
});

function problemsOf(text: string): unknown {
  const read = parseSecretKubeconfig(text);
  return read.ok ? [] : read.problems;
}

/** Nine levels of nine references each: nine to the ninth strings. */
function bomb(): string {
  const levels = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (const [index, name] of Array.from('bcdefghi').entries())
    levels.push(`${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]!}`).join(',')}]`);
  return levels.join('\n');
}

async function makePair(): Promise<{ readonly cert: string; readonly key: string; readonly otherKey: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-kubeconfig-'));
  try {
    const authority = await createCertificateAuthority(folder, 'test');
    const [one, other] = [
      await authority.issueClient({ commonName: 'one' }),
      await authority.issueClient({ commonName: 'other' }),
    ];
    return { ...one, otherKey: other.key };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
