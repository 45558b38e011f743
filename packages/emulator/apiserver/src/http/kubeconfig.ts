/** Credentials: a client certificate, a token, or both. */
export interface KubeconfigUser {
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

export interface KubeconfigOptions {
  readonly name: string;
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly user: KubeconfigUser;
}

/** Kubeconfig text with one context, the current one. */
export function kubeconfigText({ name, server, authority, user }: KubeconfigOptions): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const credentials = [
    ...(user.cert === undefined ? [] : [`    client-certificate-data: ${base64(user.cert)}`]),
    ...(user.key === undefined ? [] : [`    client-key-data: ${base64(user.key)}`]),
    ...(user.token === undefined ? [] : [`    token: ${JSON.stringify(user.token)}`]),
  ];
  const quoted = JSON.stringify(name);
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${quoted}`,
    '  cluster:',
    `    server: ${server}`,
    `    certificate-authority-data: ${base64(authority)}`,
    'users:',
    `- name: ${quoted}`,
    credentials.length === 0 ? '  user: {}' : '  user:',
    ...credentials,
    'contexts:',
    `- name: ${quoted}`,
    '  context:',
    `    cluster: ${quoted}`,
    `    user: ${quoted}`,
    `current-context: ${quoted}`,
    '',
  ].join('\n');
}
