import { DemoError } from '../demo-error.js';

export interface Page {
  readonly url: URL;
  readonly text: string;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams;
}

/** A browser without a window: keeps one person's cookies, follows redirects, and sends the forms of pages. */
export class Visitor {
  readonly #cookies = new Map<string, string>();

  open(url: URL | string): Promise<Page> {
    return this.#go(new URL(url), { method: 'GET' });
  }

  /** Follows the first link that leads to `path`. */
  follow({ url, text }: Page, path: string): Promise<Page> {
    const links = [...text.matchAll(/href="([^"]+)"/gu)].map(([, link = '']) => new URL(unescaped(link), url));
    const link = links.find(({ pathname }) => pathname === path);
    if (link === undefined) throw new DemoError('failed', `the page ${url.pathname} has no link to ${path}`);
    return this.open(link);
  }

  /** Presses the button with this text: sends its form unchanged. */
  press({ url, text }: Page, button: string): Promise<Page> {
    const form = [...text.matchAll(/<form([^>]*)>(.*?)<\/form>/gsu)].find(([, , inner = '']) =>
      inner.includes(`>${button}</button>`),
    );
    const [, head = '', inner = ''] = form ?? [];
    const pressed = new RegExp(`<button([^>]*)>${button}</button>`, 'u').exec(inner)?.[1];
    if (pressed === undefined) throw new DemoError('failed', `the page ${url.pathname} has no button ${button}`);
    const fields = [...[...inner.matchAll(/<input([^>]*)>/gu)].map(([, tag = '']) => tag), pressed]
      .map((tag) => [attribute(tag, 'name'), attribute(tag, 'value')] as const)
      .filter(([name]) => name !== '');
    return this.#go(new URL(attribute(head, 'action'), url), {
      method: 'POST',
      headers: { origin: url.origin },
      body: new URLSearchParams(fields.map(([name, value]) => [name, value])),
    });
  }

  async #go(url: URL, init: Request): Promise<Page> {
    let at = url;
    let request: Request = init;
    for (let hops = 0; hops < 20; hops++) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(at, {
        ...request,
        redirect: 'manual',
        headers: { ...request.headers, ...(cookie === '' ? {} : { cookie }) },
      });
      this.#keep(response.headers.getSetCookie());
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) {
        if (!response.ok)
          throw new DemoError('failed', `${at.origin}${at.pathname} answered ${response.status}: ${text}`);
        return { url: at, text };
      }
      at = new URL(location, at);
      request = { method: 'GET' };
    }
    throw new DemoError('failed', `too many redirects from ${url.origin}${url.pathname}`);
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/u.exec(line) ?? [];
      if (value === '' || /max-age=0\b|expires=thu, 01 jan 1970/iu.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\b${name}="([^"]*)"`, 'u').exec(tag)?.[1] ?? '');
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
