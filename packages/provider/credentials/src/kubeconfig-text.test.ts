import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import { describe, expect, it } from '@jest/globals';
import { differences, readKubeconfig, writeKubeconfig } from './kubeconfig-text.js';

describe("a consumer's kubeconfig", () => {
  // As the Go backend 0.8.1 wrote it: base64 of the value in a recorded Secret.
  const recorded =
    'YXBpVmVyc2lvbjogdjEKY2x1c3RlcnM6Ci0gY2x1c3RlcjoKICAgIGNlcnRpZmljYXRlLWF1dGhvcml0eS1kYXRhOiBZMkU9CiAgICBzZXJ2ZXI6IGh0dHBzOi8vcHJvdmlkZXIuZXhhbXBsZTo2NDQzCiAgbmFtZTogZGVmYXVsdApjb250ZXh0czoKLSBjb250ZXh0OgogICAgY2x1c3RlcjogZGVmYXVsdAogICAgbmFtZXNwYWNlOiBrdWJlLWJpbmQtdjZndjE0anU0eHc3CiAgICB1c2VyOiBkZWZhdWx0CiAgbmFtZTogZGVmYXVsdApjdXJyZW50LWNvbnRleHQ6IGRlZmF1bHQKa2luZDogQ29uZmlnCnVzZXJzOgotIG5hbWU6IGRlZmF1bHQKICB1c2VyOgogICAgdG9rZW46IHRva2VuCg==';

  it('has the bytes that the Go backend writes', () => {
    expect(
      Buffer.from(
        writeKubeconfig({ server: 'https://provider.example:6443', caData: 'ca' }, 'kube-bind-v6gv14ju4xw7', 'token'),
      ).toString('base64'),
    ).toBe(recorded);
  });

  it('is one that a consumer accepts, whatever its parts look like', () => {
    const text = writeKubeconfig({ server: 'https://[::1]:6443/path', tlsServerName: '123' }, 'on', 'null');
    expect(parseSecretKubeconfig(text)).toMatchObject({
      ok: true,
      namespace: 'on',
      connection: {
        server: 'https://[::1]:6443/path',
        tlsServerName: '123',
        credentials: { kind: 'token', token: 'null' },
      },
    });
    expect(readKubeconfig(text)).toEqual({
      server: 'https://[::1]:6443/path',
      caData: undefined,
      tlsServerName: '123',
      token: 'null',
    });
  });

  it.each([
    '',
    'a: [',
    '- 1',
    'clusters: 1',
    'clusters: [{}, {}]\nusers: [{}]',
    'clusters: [1]',
    '&a [*a, *a]',
    'null',
  ])('is not made out of %j', (text) => {
    expect(readKubeconfig(text)).toBeUndefined();
  });

  it('has differences that can be named without its token', () => {
    const found = readKubeconfig(Buffer.from(recorded, 'base64').toString());
    expect(found?.token).toBe('token');
    expect(differences(found!, { server: 'https://provider.example:6443', caData: 'ca\n' })).toEqual([]);
    expect(differences(found!, { server: 'https://other', tlsServerName: 'x' })).toEqual([
      'server',
      'certificate authority',
      'TLS server name',
    ]);
  });
});
