/** The answer is not what a Kubernetes API sends. The message never quotes it. */
export class MalformedError extends Error {
  override readonly name = 'MalformedError';
}
