import { describe, expect, it } from '@jest/globals';
import { kubeconfigRefusal } from './refusal.js';

const kubeconfig = ({
  cluster = {},
  user = { token: 's3cr3t' },
  namespace = 'cluster-x',
}: { cluster?: object; user?: object; namespace?: string } = {}): string =>
  Buffer.from(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u', namespace } }],
      clusters: [{ name: 'k', cluster: { server: 'https://provider.example.com', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  ).toString('base64');
const refusal = (value: string): string | undefined => kubeconfigRefusal(value, 'cluster-x', {});

describe('a kubeconfig that a provider hands out', () => {
  it('takes the place of the old one', () => {
    expect(refusal(kubeconfig())).toBeUndefined();
  });

  it.each<[string, string]>([
    [
      'runs a program',
      kubeconfig({ user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh' } } }),
    ],
    [
      'reads a token from a file',
      kubeconfig({ user: { tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token' } }),
    ],
    ['reads a certificate from a file', kubeconfig({ cluster: { 'certificate-authority': '/etc/passwd' } })],
    ['asks an auth provider', kubeconfig({ user: { 'auth-provider': { name: 'gcp' } } })],
    ['does not verify the server', kubeconfig({ cluster: { 'insecure-skip-tls-verify': true } })],
    ['goes through a proxy', kubeconfig({ cluster: { 'proxy-url': 'https://proxy.example.com' } })],
    ['goes to a plain server', kubeconfig({ cluster: { server: 'http://169.254.169.254' } })],
    ['is for another cluster namespace', kubeconfig({ namespace: 'cluster-y' })],
    ['is not a kubeconfig', Buffer.from('{}').toString('base64')],
  ])('does not if it %s', (_, value) => {
    expect(refusal(value)).toEqual(expect.any(String));
    expect(refusal(value)).not.toContain('s3cr3t');
  });
});
