import { apiVersion } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';

/** The answer to a request, as the Go backend writes it, without any request for an export (spec/kube-bind-backend.md §10.7 step 8). @param kubeconfig base64; so is the result. Both are credentials. */
export function answerText(kubeconfig: string): string {
  return Buffer.from(
    JSON.stringify({ kind: 'BindingResourceResponse', apiVersion, authentication: {}, kubeconfig, requests: null }),
  ).toString('base64');
}

/**
 * Whether an answer holds another text of the same credential: it can then follow the kubeconfig, and gives nobody anything that was not there. One with another token never does, since whoever
 * reads it need not be the one who is to have the new token. Never throws.
 */
export function isOutdatedAnswer(answer: string | undefined, kubeconfig: string | undefined): boolean {
  // At a start every answer is looked at, and nearly all are as they should be: to read them costs much more than to compare them.
  if (kubeconfig === undefined || answer === answerText(kubeconfig)) return false;
  const before = tokenOf(kubeconfigIn(answer));
  return before !== undefined && before === tokenOf(kubeconfig);
}

function kubeconfigIn(answer = ''): string | undefined {
  try {
    const document: unknown = JSON.parse(Buffer.from(answer, 'base64').toString('utf8'));
    return typeof document === 'object' &&
      document !== null &&
      'kubeconfig' in document &&
      typeof document.kubeconfig === 'string'
      ? document.kubeconfig
      : undefined;
  } catch {
    return undefined;
  }
}

function tokenOf(kubeconfig: string | undefined): string | undefined {
  const read = kubeconfig === undefined ? undefined : parseSecretKubeconfig(Buffer.from(kubeconfig, 'base64'));
  return read?.ok === true && read.connection.credentials.kind === 'token'
    ? read.connection.credentials.token
    : undefined;
}
