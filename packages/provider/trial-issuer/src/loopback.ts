import type { IncomingHttpHeaders } from 'node:http';

const hosts: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** A URL that leads to this machine alone. @throws {RangeError} for any other */
export function loopbackUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url === null || !hosts.has(url.hostname))
    throw new RangeError(`${option}: must be on the loopback interface, as http://127.0.0.1:5556.`);
  return url;
}

/** What proxies add to requests. */
const ofProxies = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Why a request is not answered, although it came over the loopback interface; undefined: it is.
 * A proxy on this machine would let others in. A foreign `Host` is that of a page elsewhere whose name was made to lead here.
 */
export function refusalOf(headers: IncomingHttpHeaders, host: string): string | undefined {
  const proxied = ofProxies.find((name) => headers[name] !== undefined);
  if (proxied !== undefined)
    return `The header ${proxied} says that a proxy sent this request. Use this page on the machine where Hawser runs.`;
  if (headers.host !== host) return `Open this page at http://${host}.`;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`)
    return 'The form came from another site. Start the sign-in again.';
  return undefined;
}
