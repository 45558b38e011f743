export type ClientType = 'ui' | 'cli';

export type RedirectDecision =
  { readonly kind: 'allowed'; readonly url: URL } | { readonly kind: 'refused'; readonly reason: string };

/**
 * Decides where a sign-in may end: in a browser at a page of this portal, in a terminal at a loopback address of the
 * person's machine, nowhere else (spec/kube-bind-backend.md §19.2, 13). The host is the URL parser's, and so the
 * browser's: `127.0.0.1.example.com`, `//host`, and `\\host` are other hosts.
 */
export function decideRedirect(
  client: ClientType,
  target: string,
  publicUrl: URL,
  terminals: boolean,
): RedirectDecision {
  const url = URL.parse(target, publicUrl.href);
  if (url === null) return refused('redirect_url is not a URL');
  if (url.username !== '' || url.password !== '') return refused('redirect_url has a user name in it');
  if (client === 'ui')
    return url.origin === publicUrl.origin
      ? { kind: 'allowed', url }
      : refused('redirect_url is not a page of this portal');
  if (!terminals) return refused('sign-in for terminals by redirect is switched off');
  if (url.protocol !== 'http:' || !loopback.has(url.hostname))
    return refused('redirect_url is not an http address of the loopback interface');
  return { kind: 'allowed', url };
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

function refused(reason: string): RedirectDecision {
  return { kind: 'refused', reason };
}
