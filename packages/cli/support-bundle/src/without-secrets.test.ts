import { describe, expect, it } from '@jest/globals';

import { createScrub, withoutSecrets } from './without-secrets.js';

describe('withoutSecrets', () => {
  it.each([
    ['spec.password: Invalid value: "hunter2": too short', 'spec.password: [redacted] value: [redacted]: too short'],
    ['spec: Invalid value: {"password":"hunter2"}: no', 'spec: Invalid value: [redacted]'],
    ['spec.x: Invalid value: "a\\"b\\nc": no', 'spec.x: Invalid value: [redacted]: no'],
    ['spec.size: Invalid value: "hunter2": too short', 'spec.size: Invalid value: [redacted]: too short'],
    ['  a: aHVudGVyMg==', '  a: [redacted]'],
    ['the password is hunter2', 'the password is [redacted]'],
    ['the password "hunter2" is too weak', 'the password [redacted] is too weak'],
    ['the password hunter2 is too weak', 'the password [redacted] is too weak'],
    ['password: hunter2', 'password: [redacted]'],
    ['api key = abc', 'api key = [redacted]'],
    ['GET https://h/x?sig=abcdefghijklmnop1234&watch=true', 'GET https://h/x?sig=[redacted]&watch=true'],
    ['key AKIAIOSFODNN7EXAMPLE was refused', 'key [redacted] was refused'],
    ['wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', '[redacted]'],
    ['Authorization: Bearer abcdefgh1234', 'Authorization: [redacted]'],
    ['{"msg":"x","token":"hunter2"}', '{"msg":"x","token":[redacted]}'],
  ])('%j', (text, expected) => {
    expect(withoutSecrets(text)).toBe(expected);
  });

  it.each([
    'secrets "kubeconfig" not found',
    'provider: list databases.example.com: no answer within 30000 ms (Timeout)',
    'uid 469fc851-a21e-4fd1-b59e-d5028708bc81, hash 5a9567efc5cb095f4c86541bdc10b8c706923a86f57d7c80baf6b9060f4e7aa3',
    'ForeignCustomResourceDefinition: delete the CRD, or set hawser.dev/conflict-policy=Adopt',
    'User "system:serviceaccount:kube-bind:konnector" cannot list resource "secrets" in API group ""',
    'GET https://h:6443/api/v1/namespaces?limit=500&resourceVersion=0',
    'The credential of the consumer has expired.',
  ])('leaves alone: %j', (text) => {
    expect(withoutSecrets(text)).toBe(text);
  });

  it('leaves nothing of a PEM block in a log, whatever lies around it', () => {
    const block = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIA\nxyz\n-----END EC PRIVATE KEY-----';
    expect(withoutSecrets(`a\n${block}\nb`)).toBe('a\n[redacted]\nb');
    expect(withoutSecrets(`-----BEGIN \n${'x\n'.repeat(300)}b`)).toMatch(/b$/u);
    expect(withoutSecrets('a\n-----BEGIN CERTIFICATE-----\nMIIB')).toBe('a\n[redacted]');
  });

  it('is not slow on hostile text', () => {
    const start = process.cpuUsage();
    for (const hostile of ['password ', 'Invalid value: "\\', '?a=', 'aB1', 'aB1/', '\\"', 'eyJ.', '-----BEGIN '])
      withoutSecrets(hostile.repeat(200_000 / hostile.length));
    // A second on a busy machine. What grows with the square of the text takes minutes.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(20_000);
  });
});

describe('createScrub', () => {
  it('removes what is known, also as JSON and as base64 have it', () => {
    const scrub = createScrub(['top"secret', 'ab']);
    expect(scrub(`ab top"secret top\\"secret ${Buffer.from('top"secret').toString('base64')}`)).toBe(
      'ab [redacted] [redacted] [redacted]',
    );
  });
});
