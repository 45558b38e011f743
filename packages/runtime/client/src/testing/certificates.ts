import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyPair, createCertificateAuthority } from '@hawser/testenv';

export interface TestAuthority {
  readonly ca: string;
  /** Issues a client certificate. */
  issue(commonName: string): Promise<KeyPair>;
  issueServer(commonName: string, names: readonly string[], addresses: readonly string[]): Promise<KeyPair>;
  remove(): void;
}

/** A certificate authority for one test. */
export async function testAuthority(name: string): Promise<TestAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-client-'));
  const authority = await createCertificateAuthority(folder, name);
  return {
    ca: authority.cert,
    issue: (commonName) => authority.issueClient({ commonName }),
    issueServer: (commonName, names, addresses) => authority.issueServer(commonName, names, addresses),
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
