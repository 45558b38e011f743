import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '@hawser/clock';
import { parse } from 'yaml';
import { portableKubeconfig } from './index.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('portableKubeconfig', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hawser-kubeconfig-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  const portable = async (
    user: object,
    cluster: object = {},
    context: object = { namespace: 'ns' },
  ): Promise<unknown> => {
    const file = join(folder, 'config');
    await writeFile(
      file,
      JSON.stringify({
        'current-context': 'here',
        contexts: [
          { name: 'here', context: { cluster: 'c', user: 'u', ...context } },
          { name: 'there', context: { cluster: 'c', user: 'u' } },
        ],
        clusters: [
          { name: 'c', cluster: { server: 'https://server:6443', ...cluster } },
          { name: 'other', cluster: { server: 'https://other' } },
        ],
        users: [
          { name: 'u', user },
          { name: 'other', user: { token: 'other-token' } },
        ],
      }),
    );
    return parse(await portableKubeconfig({ file, env: {}, clock: new FakeClock() }));
  };
  const expected = (user: object, cluster: object = {}, context: object = { namespace: 'ns' }): object => ({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'default',
    clusters: [{ name: 'default', cluster: { server: 'https://server:6443', ...cluster } }],
    users: [{ name: 'default', user }],
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default', ...context } }],
  });

  it('keeps one context, and nothing of the others', async () => {
    expect(
      await portable({ token: 'a-token' }, { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner' }),
    ).toEqual(
      expected({ token: 'a-token' }, { 'certificate-authority-data': base64('CA'), 'tls-server-name': 'inner' }),
    );
    expect(await portable({ token: 'a-token' }, {}, {})).toEqual(expected({ token: 'a-token' }, {}, {}));
  });

  it('puts the content of files into it, found from its own folder', async () => {
    await Promise.all(
      [
        ['ca.crt', 'CA'],
        ['user.crt', 'CERT'],
        ['user.key', 'KEY'],
        ['token', 'from-file\n'],
      ].map(([name = '', text = '']) => writeFile(join(folder, name), text)),
    );
    expect(
      await portable(
        { 'client-certificate': 'user.crt', 'client-key': join(folder, 'user.key') },
        { 'certificate-authority': 'ca.crt' },
      ),
    ).toEqual(
      expected(
        { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') },
        { 'certificate-authority-data': base64('CA') },
      ),
    );
    expect(await portable({ tokenFile: 'token', token: 'old' })).toEqual(expected({ token: 'from-file' }));
  });

  it.each([
    [{ exec: { command: 'login' } }, 'Unsupported', 'runs a program'],
    [{ 'auth-provider': { name: 'oidc' } }, 'Unsupported', 'auth-provider'],
    [{ token: 'secret-token', as: 'admin' }, 'Unsupported', 'another user'],
    [{ username: 'me', password: 'secret-token' }, 'Unsupported', 'name and password'],
    [{}, 'NoCredentials', 'neither a token'],
    [{ 'client-certificate-data': base64('CERT') }, 'NoCredentials', 'neither a token'],
    [{ tokenFile: 'missing' }, 'Unreadable', 'missing'],
  ])('%j cannot be carried elsewhere', async (user, code, message) => {
    await expect(portable(user)).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
    await expect(portable(user)).rejects.not.toMatchObject({ message: expect.stringContaining('secret-token') });
  });
});
