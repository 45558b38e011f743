import { apiVersion } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';

/**
 * The answer to a request, as the Go backend writes it, without any export request (spec/kube-bind-backend.md §10.7
 * step 8). @param kubeconfig base64; so is the result. Both are credentials.
 */
export function answerText(kubeconfig: string): string {
  return Buffer.from(
    JSON.stringify({ kind: 'BindingResourceResponse', apiVersion, authentication: {}, kubeconfig, requests: null }),
  ).toString('base64');
}

/**
 * Whether an answer holds an older text with the same credential. It can then follow the kubeconfig without giving its
 * reader anything new. One with another token must not follow: its reader may not be entitled to the new token. Never
 * throws.
 */
export function isOutdatedAnswer(answer: string | undefined, kubeconfig: string | undefined): boolean {
  // The start checks every answer, and nearly all are up to date: parsing costs much more than comparing.
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
