import type { FastifyReply } from 'fastify';

/**
 * Cookies of this host alone. Over TLS their name binds them to it (`__Host-`): other hosts of the domain can neither
 * set nor read them.
 */
export class Cookies {
  readonly #secure: boolean;

  constructor(publicUrl: URL) {
    this.#secure = publicUrl.protocol === 'https:';
  }

  name(own: string): string {
    return `${this.#secure ? '__Host-' : ''}hawser-${own}`;
  }

  /** @param name from {@link Cookies.name} */
  set(reply: FastifyReply, name: string, value: string, maxAgeSeconds: number): void {
    reply.setCookie(name, value, {
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.#secure,
      maxAge: maxAgeSeconds,
    });
  }

  clear(reply: FastifyReply, name: string): void {
    this.set(reply, name, '', 0);
  }
}
