/** Why no provider may request a namespace of this name; undefined if it may. `own`: the konnector's. */
export function protectionOf(name: string, own: readonly string[]): string | undefined {
  if (own.includes(name)) return "it is the konnector's own";
  if (name === 'default' || name.startsWith('kube-')) return 'the name is one of Kubernetes';
  return undefined;
}
