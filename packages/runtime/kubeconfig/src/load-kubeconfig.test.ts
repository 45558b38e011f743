import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { type ConnectionConfig, type LoadOptions, type RequestHeaders, loadKubeconfig } from './index.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('loadKubeconfig', () => {
  let folder: string;
  let clock: FakeClock;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hawser-kubeconfig-'));
    clock = new FakeClock();
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const write = async (name: string, content: unknown): Promise<string> => {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  };
  const kubeconfig = (user: object, cluster: object = {}, more: object = {}): object => ({
    'current-context': 'here',
    contexts: [
      { name: 'here', context: { cluster: 'c', user: 'u', namespace: 'ns' } },
      { name: 'there', context: { cluster: 'c', user: 'other' } },
    ],
    clusters: [{ name: 'c', cluster: { server: 'https://server:6443', ...cluster } }],
    users: [
      { name: 'u', user },
      { name: 'other', user: { token: 'other-token' } },
    ],
    ...more,
  });
  const load = (options: Partial<LoadOptions> = {}): Promise<ConnectionConfig> =>
    loadKubeconfig({ env: {}, clock, serviceAccountFolder: join(folder, 'sa'), ...options });
  const loadUser = async (user: object, cluster: object = {}): Promise<ConnectionConfig> =>
    load({ file: await write('config', kubeconfig(user, cluster)) });
  const headersOf = ({ credentials }: ConnectionConfig, renew?: boolean): Promise<RequestHeaders> => {
    if (credentials.kind !== 'dynamic') throw new Error(`credentials are ${credentials.kind}`);
    return credentials.headers(renew);
  };

  it('reads what stands in the file', async () => {
    expect(
      await loadUser(
        { token: 'a-token' },
        { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner', 'proxy-url': 'http://proxy' },
      ),
    ).toEqual({
      server: 'https://server:6443',
      caData: 'CA',
      tlsServerName: 'inner',
      proxyUrl: 'http://proxy',
      namespace: 'ns',
      credentials: { kind: 'token', token: 'a-token' },
    });
    expect(
      await loadUser(
        { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
        { 'insecure-skip-tls-verify': true },
      ),
    ).toEqual({
      server: 'https://server:6443',
      namespace: 'ns',
      insecureSkipTlsVerify: true,
      credentials: { kind: 'certificate', cert: 'CERT', key: 'KEY' },
    });
    expect((await loadUser({})).credentials).toEqual({ kind: 'none' });
    expect(await load({ file: join(folder, 'config'), context: 'there' })).toEqual({
      server: 'https://server:6443',
      credentials: { kind: 'token', token: 'other-token' },
    });
    expect((await loadUser({}, { server: 'https://kcp:6443/clusters/root:org' })).server).toBe(
      'https://kcp:6443/clusters/root:org',
    );
  });

  it('reads files that it names, from its own folder, and again as they are replaced', async () => {
    await write('pki/ca.crt', 'CA 1');
    await write('pki/me.crt', 'CERT 1');
    await write('pki/me.key', 'KEY 1');
    const token = await write('token', 'token 1\n');
    const connection = await loadUser(
      { tokenFile: token, token: 'not this one', 'client-certificate': 'pki/me.crt', 'client-key': 'pki/me.key' },
      { 'certificate-authority': 'pki/ca.crt' },
    );
    expect(await headersOf(connection)).toEqual({ authorization: 'Bearer token 1' });
    expect(connection).toMatchObject({ caData: 'CA 1', credentials: { cert: 'CERT 1', key: 'KEY 1' } });
    await write('pki/ca.crt', 'CA 2');
    await write('pki/me.crt', 'CERT 2');
    await write('token', 'token 2');
    await clock.advance(59_000);
    expect(await headersOf(connection)).toEqual({ authorization: 'Bearer token 1' });
    await clock.advance(1_000);
    expect(await headersOf(connection)).toEqual({ authorization: 'Bearer token 2' });
    expect(connection).toMatchObject({ caData: 'CA 2', credentials: { cert: 'CERT 2', key: 'KEY 1' } });
    await write('token', 'token 3');
    expect(await headersOf(connection, true)).toEqual({ authorization: 'Bearer token 3' });
    await write('token', '');
    expect(await headersOf(connection, true)).toEqual({ authorization: 'Bearer token 3' });
    await rm(token);
    expect(await headersOf(connection, true)).toEqual({ authorization: 'Bearer token 3' });
  });

  it('acts as somebody else, groups and all', async () => {
    const connection = await loadUser({
      token: 't',
      as: 'jane',
      'as-uid': '5',
      'as-groups': ['dev', 'ops'],
      'as-user-extra': { 'example.com/Why': ['a', 'b'] },
    });
    expect(await headersOf(connection)).toEqual({
      authorization: 'Bearer t',
      'impersonate-user': 'jane',
      'impersonate-uid': '5',
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2Fwhy': ['a', 'b'],
    });
    expect(await headersOf(await loadUser({ username: 'me', password: 'secret' }))).toEqual({
      authorization: `Basic ${base64('me:secret')}`,
    });
  });

  describe('from the usual chain', () => {
    it('merges the files of KUBECONFIG: the first that says something wins', async () => {
      const first = await write('one/config', {
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        users: [{ name: 'u', user: { tokenFile: 'token' } }],
      });
      await write('one/token', 'one');
      const second = await write('two/config', kubeconfig({ token: 'two' }, { 'certificate-authority': 'ca.crt' }));
      await write('two/ca.crt', 'CA two');
      const KUBECONFIG = `${join(folder, 'missing')}::${first}:${second}`;
      const connection = await load({ env: { KUBECONFIG, HOME: folder } });
      expect(connection).toMatchObject({ namespace: 'ns', server: 'https://server:6443', caData: 'CA two' });
      expect(await headersOf(connection)).toEqual({ authorization: 'Bearer one' });
      expect((await load({ env: { KUBECONFIG }, context: 'x' })).namespace).toBeUndefined();
    });

    it('then looks in the home folder', async () => {
      await write('.kube/config', kubeconfig({ token: 'home' }));
      expect(
        await load({ env: { HOME: folder, KUBERNETES_SERVICE_HOST: 'x', KUBERNETES_SERVICE_PORT: '1' } }),
      ).toMatchObject({ credentials: { token: 'home' } });
    });

    it('then takes the ServiceAccount of the pod, whose token and authority it reads again', async () => {
      await write('sa/token', 'pod 1');
      await write('sa/ca.crt', 'CA 1');
      await write('sa/namespace', 'my-namespace\n');
      const connection = await load({
        env: { HOME: folder, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' },
      });
      expect(connection).toMatchObject({ server: 'https://[fd00::1]:443', caData: 'CA 1', namespace: 'my-namespace' });
      expect(await headersOf(connection)).toEqual({ authorization: 'Bearer pod 1' });
      await write('sa/token', 'pod 2');
      await write('sa/ca.crt', 'CA 2');
      await clock.advance(60_000);
      expect(await headersOf(connection)).toEqual({ authorization: 'Bearer pod 2' });
      expect(connection.caData).toBe('CA 2');
    });

    it('and says that there is nothing', async () => {
      await expect(load({ env: { HOME: folder, KUBECONFIG: join(folder, 'missing') } })).rejects.toMatchObject({
        code: 'NotFound',
      });
      await expect(load({ env: { KUBERNETES_SERVICE_HOST: 'x', KUBERNETES_SERVICE_PORT: '1' } })).rejects.toMatchObject(
        { code: 'Unreadable', message: expect.stringContaining('cannot be read (ENOENT)') as unknown },
      );
    });
  });

  it.each<[string, unknown, string, string]>([
    ['no YAML', 'a: [', 'Invalid', 'The value is not YAML (line 1, column 5)'],
    ['no context', kubeconfig({}, {}, { 'current-context': undefined }), 'Invalid', 'no current-context'],
    [
      'an unknown context',
      kubeconfig({}, {}, { 'current-context': 'nowhere' }),
      'Invalid',
      'no context named "nowhere"',
    ],
    ['an unknown user', kubeconfig({}, {}, { users: [] }), 'Invalid', 'no user named "u"'],
    ['no server', kubeconfig({}, { server: '' }), 'Invalid', 'server of the cluster'],
    ['a server that is none', kubeconfig({}, { server: 'ftp://x' }), 'Invalid', 'server of the cluster'],
    [
      'data that is not base64',
      kubeconfig({ 'client-certificate-data': '$' }),
      'Invalid',
      'client-certificate-data is not base64',
    ],
    [
      'a certificate without key',
      kubeconfig({ 'client-certificate-data': base64('x') }),
      'Invalid',
      'certificate without its key',
    ],
    ['a file that is missing', kubeconfig({ tokenFile: 'missing' }), 'Unreadable', 'missing cannot be read (ENOENT)'],
    [
      'a login that kubectl has dropped',
      kubeconfig({ 'auth-provider': { name: 'gcp', config: { 'cmd-path': 'rm' } } }),
      'Unsupported',
      'use exec',
    ],
  ])('refuses %s', async (_name, content, code, message) => {
    await expect(load({ file: await write('config', content) })).rejects.toMatchObject({
      name: 'KubeconfigError',
      code,
      message: expect.stringContaining(message) as unknown,
    });
  });

  describe('with a program', () => {
    /** A program that counts its runs, and prints what the test wants. */
    const program = async (print: string): Promise<string> => {
      const path = await write(
        'bin/login',
        `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> ${join(folder, 'runs')}\n${print}\n`,
      );
      await chmod(path, 0o700);
      return 'bin/login';
    };
    const runs = async (): Promise<string[]> => (await readFile(join(folder, 'runs'), 'utf8')).trim().split('\n');

    it('gets a token, once for many, and again when it was refused', async () => {
      const command = await program(`echo '{"status":{"token":"token-'$(wc -l < ${join(folder, 'runs')})'"}}'`);
      const connection = await loadUser(
        { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, provideClusterInfo: true } },
        { 'tls-server-name': 'inner' },
      );
      const headers = await Promise.all(Array.from({ length: 20 }, () => headersOf(connection)));
      expect(new Set(headers.map((header) => header['authorization']))).toEqual(new Set(['Bearer token-1']));
      await clock.advance(3_600_000);
      expect(await headersOf(connection)).toEqual({ authorization: 'Bearer token-1' });
      expect(await Promise.all([headersOf(connection, true), headersOf(connection, true)])).toEqual([
        { authorization: 'Bearer token-2' },
        { authorization: 'Bearer token-2' },
      ]);
      const infos = await runs();
      expect(infos).toHaveLength(2);
      expect(JSON.parse(infos[0]!)).toEqual({
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        spec: { interactive: false, cluster: { server: 'https://server:6443', 'tls-server-name': 'inner' } },
      });
    });

    it('gets a certificate', async () => {
      const connection = await loadUser({
        exec: { command: await program('echo \'{"status":{"clientCertificateData":"CERT","clientKeyData":"KEY"}}\'') },
      });
      expect(connection.credentials).toMatchObject({ cert: 'CERT', key: 'KEY' });
      expect(await headersOf(connection)).toEqual({});
    });

    it.each([
      ['fails', 'echo "login expired" >&2; echo more >&2; exit 1', 'gave no credentials: login expired'],
      ['prints no credential', 'echo s3cr3t', 'its answer is not an ExecCredential'],
      ['prints an empty one', 'echo "{}"', 'its answer is not an ExecCredential'],
      ['has none', 'echo \'{"status":{}}\'', 'gave no credentials'],
    ])('that %s says so, and quotes nothing that it printed', async (_name, print, message) => {
      const error: unknown = await loadUser({ exec: { command: await program(print) } }).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'NoCredentials', message: expect.stringContaining(message) as unknown });
      expect(String((error as Error).stack)).not.toContain('s3cr3t');
    });

    it('that does not exist says so', async () => {
      await expect(loadUser({ exec: { command: './no-such-program' } })).rejects.toMatchObject({
        code: 'NoCredentials',
        message: expect.stringContaining('ENOENT') as unknown,
      });
    });
  });

  it('takes the token of an OIDC login while it is good', async () => {
    const token = ['{"alg":"none"}', JSON.stringify({ exp: Math.round(Date.now() / 1000) + 3_600 }), 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
    const connection = await loadUser({ 'auth-provider': { name: 'oidc', config: { 'id-token': token } } });
    expect(await headersOf(connection)).toEqual({ authorization: `Bearer ${token}` });
    await expect(loadUser({ 'auth-provider': { name: 'oidc', config: {} } })).rejects.toMatchObject({
      code: 'NoCredentials',
    });
  });
});
