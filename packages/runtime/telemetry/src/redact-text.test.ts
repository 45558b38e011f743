import { describe, expect, it } from '@jest/globals';
import { redactText } from './redact-text.js';

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW0ifQ.c2lnbmF0dXJl';

describe('redactText', () => {
  it.each([
    [`token is ${jwt}!`, 'token is [redacted]!'],
    ['Authorization: Bearer abcdefgh12345', 'Authorization: [redacted]'],
    ['sent bearer abcdefgh12345 to it', 'sent bearer [redacted] to it'],
    ['GET https://admin:hunter2@db.example.com/x failed', 'GET https://[redacted]@db.example.com/x failed'],
    ['dial postgres://u:p@h:5432', 'dial postgres://[redacted]@h:5432'],
    ['--client-secret=s3cr3t --verbose', '--client-secret=[redacted] --verbose'],
    ['{"password":"hunter2","user":"x"}', '{"password":[redacted],"user":"x"}'],
    ['body {\\"token\\":\\"hunter2\\"}', 'body {\\"token\\":[redacted]'],
    ['- name: x\n  token: hunter2\n  user: y', '- name: x\n  token: [redacted]\n  user: y'],
    ['a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
    ['cut -----BEGIN PRIVATE KEY-----\nMIIE', 'cut [redacted]'],
    ['LS0tLS1CRUdJTiBSU0EgUFJJVkFURQ==', '[redacted]'],
    ['apiVersion: v1\ndata:\n  a: aHVudGVyMg==\nkind: Secret\n', '[redacted]'],
    ['{"apiVersion":"v1","data":{"a":"aHVudGVyMg=="},"kind":"Secret"}', '[redacted]'],
    ['"{\\"data\\":{\\"a\\":\\"aHVudGVyMg==\\"},\\"kind\\":\\"Secret\\"}"', '[redacted]'],
    ['apiVersion: v1\nkind: Config\nusers:\n- user: {exec: {args: [hunter2]}}', '[redacted]'],
  ])('%j', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  it.each([
    'secrets "kubeconfig" not found',
    'Secret default/kubeconfig: key "kubeconfig" is missing',
    'the token of the ServiceAccount default/kube-binder has expired',
    'databases.example.com "a" is forbidden: User "system:serviceaccount:x:y" cannot get resource',
    'https://provider.example.com:6443/api/v1/namespaces',
    'mailto user@example.com',
    'basic authentication is off',
  ])('leaves alone: %j', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('cuts long text, and is not slow on hostile text', () => {
    expect(redactText('x'.repeat(10_000))).toHaveLength(4097);
    const start = process.cpuUsage();
    for (const hostile of [
      'eyJ'.repeat(5000),
      '://'.repeat(5000),
      'token'.repeat(5000),
      '-----BEGIN A'.repeat(1000),
      '\n\n{,"token'.repeat(1000),
      'kind: '.repeat(1000),
      `token${' '.repeat(5000)}`,
      `${'\n'.repeat(4000)}token`,
      ', '.repeat(2000),
      'a.eyJ'.repeat(1000),
      `bearer ${'bearer '.repeat(1000)}`,
    ])
      redactText(hostile);
    // Milliseconds on an idle machine. What grows with the square of the text takes minutes.
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(10_000);
  });
});
