import { Agent, fetch } from 'undici';

/** A connection for each request: tests do not care about idle connections when a server ends. */
const dispatcher = new Agent({ pipelining: 0 });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Target of the redirect, absolute. */
  readonly location: string;
}

/** Cookies and redirects of one person's browser, and no more: it follows redirects only on request. */
export class Browser {
  readonly #jar = new Map<string, Map<string, string>>();

  /** Cookies of the host: ports share them. */
  cookies(url: string): Map<string, string> {
    const { hostname } = new URL(url);
    const jar = this.#jar.get(hostname) ?? new Map<string, string>();
    this.#jar.set(hostname, jar);
    return jar;
  }

  async request(
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer> {
    const jar = this.cookies(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      dispatcher,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
      if (/max-age=0\b/iu.test(line) || value === '' || /expires=thu, 01 jan 1970/iu.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      headers: response.headers as unknown as Headers,
      text: await response.text(),
      location: location === null ? '' : new URL(location, url).href,
    };
  }

  /** Follows redirects up to one that leads to `stop`, which it does not request, or to the end. */
  async follow(url: string, stop: (url: URL) => boolean = () => false): Promise<Answer & { readonly url: string }> {
    for (let at = url, hops = 0; hops < 20; hops++) {
      const answer = await this.request(at);
      if (answer.location === '' || stop(new URL(answer.location))) return { ...answer, url: at };
      at = answer.location;
    }
    throw new Error(`too many redirects from ${url}`);
  }
}
