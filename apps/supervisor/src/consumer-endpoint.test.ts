import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { FakeClock } from '@hawser/clock';
import { describe, expect, it } from '@jest/globals';

import { ConfigError, parseConfig } from '@hawser/config';
import { consumerEndpoint } from './consumer-endpoint.js';

const clock = new FakeClock();
const own = {
  server: 'https://10.0.0.1:443',
  caData: 'own authority',
  tlsServerName: 'own name',
  credentials: { kind: 'none' },
} as const;
const provider = (external: object): ReturnType<typeof parseConfig>['provider'] =>
  parseConfig({ provider: { external } }, 'test').provider;
const file = (content: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'hawser-ca-')), 'ca.crt');
  writeFileSync(path, content);
  return path;
};

describe('what consumers are told of the API server', () => {
  it('is what this process uses, but for the name that it verifies', () => {
    expect(consumerEndpoint(provider({}), () => own, clock)()).toEqual({
      server: 'https://10.0.0.1:443',
      caData: 'own authority',
    });
  });

  it('is what is set', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
    expect(
      consumerEndpoint(
        provider({ address: 'https://provider.example', caFile: file(pem), serverName: 'provider' }),
        () => own,
        clock,
      )(),
    ).toEqual({ server: 'https://provider.example', caData: pem, tlsServerName: 'provider' });
  });

  it('follows the file, which is replaced while an authority is; what was read before stays while the new one is not there', async () => {
    const pem = (text: string): string => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
    const caFile = file(pem('old'));
    const endpoint = consumerEndpoint(provider({ caFile }), () => own, clock);
    for (const [content, read] of [
      [pem('new'), pem('new')],
      ['', pem('new')],
      [pem('newer'), pem('newer')],
    ] as const) {
      writeFileSync(caFile, content);
      await clock.advance(60_000);
      expect(endpoint().caData).toBe(read);
    }
    rmSync(caFile);
    await clock.advance(60_000);
    expect(endpoint().caData).toBe(pem('newer'));
  });

  it.each([
    ['/does/not/exist', 'cannot be read: ENOENT'],
    [file('nothing'), 'has no certificate'],
  ])('is not made of %s', (caFile, message) => {
    expect(() => consumerEndpoint(provider({ caFile }), () => own, clock)).toThrow(ConfigError);
    expect(() => consumerEndpoint(provider({ caFile }), () => own, clock)).toThrow(message);
  });
});
