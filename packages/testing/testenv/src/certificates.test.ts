import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type CertificateAuthority, createCertificateAuthority, openCertificateAuthority } from './certificates.js';

let folder: string;
let authority: CertificateAuthority;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hawser-ca-'));
  authority = await createCertificateAuthority(folder, 'a test');
});
afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('the certificate authority', () => {
  it.each(['system:kube-controller-manager', 'we$ird #"name\'s\\ `end`', 'Jürgen, O=system:masters/CN=admin'])(
    'writes the name %j as it is, and nothing else',
    async (commonName) => {
      const { cert } = await authority.issueClient({ commonName, organizations: ['one', 'system:two'] });
      const { subject } = new X509Certificate(cert).toLegacyObject();
      expect(subject).toMatchObject({ CN: commonName, O: ['one', 'system:two'] });
    },
  );

  it('refuses a name with a line break', async () => {
    await expect(authority.issueClient({ commonName: 'a\nO = system:masters' })).rejects.toThrow(RangeError);
  });

  it('can be used by another process that knows its folder', async () => {
    const { cert } = await (await openCertificateAuthority(folder)).issueServer('s', ['localhost'], ['127.0.0.1']);
    const certificate = new X509Certificate(cert);
    expect(certificate.verify(new X509Certificate(authority.cert).publicKey)).toBe(true);
    expect([
      certificate.checkHost('localhost'),
      certificate.checkIP('127.0.0.1'),
      certificate.checkHost('other'),
    ]).toEqual(['localhost', '127.0.0.1', undefined]);
  });

  it('is told from a leaf of its own name, so that a client accepts that', async () => {
    const { cert, key } = await authority.issueServer('a test', [], ['127.0.0.1']);
    const server = createServer({ cert, key }, (_, response) => response.end('hello'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const status = await new Promise((resolve, reject) => {
        get({ host: '127.0.0.1', port, ca: authority.cert, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
      expect(status).toBe(200);
    } finally {
      server.close();
    }
  });

  it('keeps its key to its owner', async () => {
    expect((await stat(join(folder, 'ca.key'))).mode & 0o077).toBe(0);
  });
});
